import type { JobState } from "../../src/domain/transitions.ts";
import type { Step } from "../../src/store/steps.ts";
import type { Steps } from "../model/steps.ts";

/** Who has the newest attempt of a job that `stepsInto` made, and who had the one before. */
export const OWNER = "worker-owner";
export const OTHER = "worker-other";

/** The newest attempt of such a job; the one before it was the other worker's, and is over. */
export const ATTEMPT = 2;

/** The steps that bring a new job into the state, on its second attempt, so that there is a stale one. */
export function stepsInto(state: JobState, steps: Steps, id: string, position = 1): Step[] {
  const second = [
    steps.enqueue(id, position),
    steps.take(OTHER),
    steps.giveBack(id, ATTEMPT - 1),
    steps.take(OWNER),
  ];
  switch (state) {
    case "IN_QUEUE":
      return [...second, steps.giveBack(id, ATTEMPT)];
    case "IN_PROGRESS":
      return second;
    case "COMPLETED":
      return [...second, steps.finish("complete", id, { worker: OWNER })];
    case "FAILED":
      return [...second, steps.finish("fail", id, { worker: OWNER })];
    case "CANCELLED":
      return [...second, steps.cancel(id)];
    case "TIMED_OUT":
      return [...second, steps.finish("timeOut", id)];
  }
}
