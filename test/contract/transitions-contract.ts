import { afterEach, describe, expect, test } from "bun:test";
import { forget } from "../model/forget.ts";
import { TTL } from "../../src/domain/policy.ts";
import {
  JOB_STATES,
  type JobEvent,
  type JobState,
  permits,
  TRANSITIONS,
} from "../../src/domain/transitions.ts";
import type { Step } from "../../src/store/steps.ts";
import { recordOf } from "../model/model-row.ts";
import { modelQueue } from "../model/model-queue.ts";
import type { Steps } from "../model/steps.ts";
import { answered } from "./answered.ts";
import { bytes } from "../model/bytes.ts";
import { ATTEMPT, OTHER, OWNER, stepsInto } from "./job-in-state.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { queueOn, START } from "./queue.ts";

const EVENTS = Object.keys(TRANSITIONS) as JobEvent[];
const SPEAKERS = ["owner", "other worker", "stale attempt", "expired"] as const;
type Speaker = (typeof SPEAKERS)[number];

/** After every deadline that a job of these tests has. */
const LATE = START + 10 * TTL.default;
const JOB = "job";

/**
 * P2: every state, also that of a job that is not there, meets every event from every speaker. What the row
 * and the answer are then is said twice: by the table of the transitions with the guards below, and by the
 * model of a job.
 */
export function transitionsContract(open: OpenStore): void {
  describe("P2 legal transitions only", () => {
    const store = sharedStore(open);
    afterEach(() => store().apply([forget(1_000)], LATE + TTL.default));

    for (const state of [undefined, ...JOB_STATES]) {
      for (const event of EVENTS) {
        for (const speaker of SPEAKERS) {
          const isAllowed = isLegal(state, event, speaker);
          const target = isAllowed ? TRANSITIONS[event].to : state;
          const verdict = isAllowed ? `becomes ${target ?? "absent"}` : "stays";

          test(`${state ?? "absent"}, ${event} by ${speaker}: ${verdict}`, async () => {
            const queue = await queueOn(store());
            const model = modelQueue();
            for (const step of state === undefined ? [] : stepsInto(state, queue.steps, JOB)) {
              const answer: unknown = await answered(queue.send(step));
              expect(answer).toEqual(model.apply(step, START));
            }
            const step = stepOf(event, speaker, queue.steps);
            const now = speaker === "expired" ? LATE : START + 1_000;

            const answer: unknown = await answered(queue.send(step, now));

            expect(answer).toEqual(model.apply(step, now));
            const after = await store().job(queue.endpoint, JOB);
            const expected = model.job(JOB);
            expect(after?.state).toBe(target);
            expect(after).toEqual(expected && recordOf(expected));
            expect(await store().counts(queue.endpoint)).toEqual(model.counts());
          });
        }
      }
    }
  });
}

/** What an event asks for besides the state. */
const GUARDS: Record<JobEvent, (speaker: Speaker) => boolean> = {
  enqueue: () => true,
  take: (speaker) => speaker !== "expired",
  complete: isFenced,
  completeLate: (speaker) => speaker === "other worker",
  fail: isFenced,
  giveUp: isFenced,
  cutOff: isFenced,
  timeOut: isFenced,
  giveBack: (speaker) => speaker !== "stale attempt",
  cancel: () => true,
  retry: (speaker) => speaker !== "expired",
  purge: () => true,
  forget: (speaker) => speaker === "expired",
};

function isFenced(speaker: Speaker): boolean {
  return speaker !== "other worker" && speaker !== "stale attempt";
}

function isLegal(state: JobState | undefined, event: JobEvent, speaker: Speaker): boolean {
  if (state === undefined) return event === "enqueue";
  return permits(event, state) && GUARDS[event](speaker);
}

function stepOf(event: JobEvent, speaker: Speaker, steps: Steps): Step {
  const worker = speaker === "other worker" ? OTHER : OWNER;
  const attempt = speaker === "stale attempt" ? ATTEMPT - 1 : ATTEMPT;
  switch (event) {
    case "enqueue":
      return steps.enqueue(JOB, 1);
    case "take":
      return steps.take(worker);
    case "complete":
      return steps.finish(event, JOB, { worker, attempt, output: bytes("1") });
    case "completeLate":
      // The other worker had an attempt that was given back; a result that names its attempt is never late.
      return steps.finish("complete", JOB, {
        worker,
        attempt: speaker === "other worker" ? undefined : 0,
        mayBeLate: true,
        output: bytes("1"),
      });
    case "fail":
    case "cutOff":
      return steps.finish(event, JOB, { worker, attempt, error: bytes('"no"') });
    case "giveUp":
    case "timeOut": {
      // The server ends the job, which has no worker to name; a worker can be no more than wrong here.
      const named = speaker === "other worker" ? OTHER : undefined;
      return steps.finish(event, JOB, { worker: named, attempt, error: bytes('"late"') });
    }
    case "giveBack":
      return steps.giveBack(JOB, attempt, { losses: 1 });
    case "cancel":
      return steps.cancel(JOB);
    case "retry":
      return steps.retry(JOB, 2);
    case "purge":
      return steps.purge();
    case "forget":
      return forget(1_000);
  }
}
