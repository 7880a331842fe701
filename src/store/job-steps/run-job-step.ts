import type { Step, StepAnswers } from "../steps.ts";
import { append, drain } from "./chunks.ts";
import { cancel, finish, setTtl } from "./end-job.ts";
import { enqueue } from "./enqueue.ts";
import type { JobStepRunner, JobTransaction } from "./job-transaction.ts";
import { giveBack, retry } from "./requeue.ts";
import { take } from "./take.ts";
import { noteColdStart, progress, seen } from "./worker-reports.ts";

const RULES = {
  enqueue,
  take,
  finish,
  append,
  progress,
  seen,
  giveBack,
  cancel,
  retry,
  noteColdStart,
  setTtl,
  drain,
} satisfies { readonly [Kind in Step["step"]]?: JobStepRunner<Kind> };

type Kind = keyof typeof RULES;

/** Steps about jobs that they name, about the oldest that wait, or about those of a worker. */
export type JobStep = Extract<Step, { step: Kind }>;

export function isJobStep(step: Step): step is JobStep {
  return step.step in RULES;
}

export function runJobStep(step: JobStep, now: number, transaction: JobTransaction): StepAnswers[Kind] {
  // The rule of this kind, which the compiler cannot tell from the others.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const rule = RULES[step.step] as JobStepRunner<Kind>;
  return rule(step, now, transaction);
}
