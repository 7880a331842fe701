import type { Step } from "../../src/store/steps.ts";
import type { Counts } from "../../src/store/store.ts";
import { isObject } from "./is-object.ts";
import type { Call } from "./history.ts";

/** The counters of what has happened. What waits and runs can be counted. */
export type EventCounts = Pick<Counts, "completed" | "failed" | "retried" | "ignored">;

/** Between these the counters must have gone up: by the first in any case, by the second if all was done. */
export interface CounterBounds {
  readonly least: EventCounts;
  readonly most: EventCounts;
}

export const NO_EVENTS: EventCounts = { completed: 0, failed: 0, retried: 0, ignored: 0 };

export function counterBounds({ least, most }: CounterBounds, calls: readonly Call[]): CounterBounds {
  const bounds = { least: { ...least }, most: { ...most } };
  for (const { steps, outcome } of calls) {
    if (outcome.kind === "fail") continue;
    for (const [index, step] of steps.entries()) {
      if (outcome.kind === "ok") {
        const { sure, possible } = counted(step, isAccepted(outcome.answers[index]));
        if (sure !== undefined) bounds.least[sure]++;
        if (possible !== undefined) bounds.most[possible]++;
      } else {
        for (const accepted of [true, false]) {
          const { possible } = counted(step, accepted);
          if (possible !== undefined) bounds.most[possible]++;
        }
      }
    }
  }
  return bounds;
}

type Counted = { readonly sure?: keyof EventCounts; readonly possible?: keyof EventCounts };

/** Which counter a step moves. Whether a return counts depends on losses that no answer tells. */
function counted(step: Step, accepted: boolean): Counted {
  if (step.step === "finish") {
    if (accepted) return both(step.event === "complete" ? "completed" : "failed");
    return step.worker === undefined ? {} : both("ignored");
  }
  if ((step.step === "append" || step.step === "progress") && !accepted) return both("ignored");
  if (step.step === "retry" && accepted) return both("retried");
  if (step.step === "giveBack" && accepted && step.losses > 0) return { possible: "retried" };
  return {};
}

function both(counter: keyof EventCounts): Counted {
  return { sure: counter, possible: counter };
}

function isAccepted(answer: unknown): boolean {
  return isObject(answer) && answer["accepted"] === true;
}
