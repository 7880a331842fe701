import type { Step, StepAnswers } from "../steps.ts";
import { append } from "./append.ts";
import { cancel } from "./cancel.ts";
import { drain } from "./drain.ts";
import { enqueue } from "./enqueue.ts";
import { finish } from "./finish.ts";
import { giveBack } from "./give-back.ts";
import type { JobTransaction } from "./job-transaction.ts";
import { noteColdStart } from "./note-cold-start.ts";
import { progress } from "./progress.ts";
import { retry } from "./retry.ts";
import { seen } from "./seen.ts";
import { setTtl } from "./set-ttl.ts";
import { take } from "./take.ts";

/** Steps about jobs that they name, about the oldest that wait, or about those of a worker. */
export type JobStep = Extract<
  Step,
  {
    step:
      | "enqueue"
      | "take"
      | "finish"
      | "append"
      | "progress"
      | "seen"
      | "giveBack"
      | "cancel"
      | "retry"
      | "noteColdStart"
      | "setTtl"
      | "drain";
  }
>;

const JOB_STEPS: ReadonlySet<Step["step"]> = new Set<JobStep["step"]>([
  "enqueue",
  "take",
  "finish",
  "append",
  "progress",
  "seen",
  "giveBack",
  "cancel",
  "retry",
  "noteColdStart",
  "setTtl",
  "drain",
]);

export function isJobStep(step: Step): step is JobStep {
  return JOB_STEPS.has(step.step);
}

export function runJobStep(
  step: JobStep,
  now: number,
  transaction: JobTransaction,
): StepAnswers[JobStep["step"]] {
  switch (step.step) {
    case "enqueue":
      return enqueue(step, now, transaction);
    case "take":
      return take(step, now, transaction);
    case "finish":
      return finish(step, now, transaction);
    case "append":
      return append(step, now, transaction);
    case "progress":
      return progress(step, now, transaction);
    case "seen":
      return seen(step, now, transaction);
    case "giveBack":
      return giveBack(step, now, transaction);
    case "cancel":
      return cancel(step, now, transaction);
    case "retry":
      return retry(step, now, transaction);
    case "noteColdStart":
      return noteColdStart(step, now, transaction);
    case "setTtl":
      return setTtl(step, now, transaction);
    case "drain":
      return drain(step, now, transaction);
  }
}
