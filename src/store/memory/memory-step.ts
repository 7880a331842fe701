import type { JobTransaction } from "../job-steps/job-transaction.ts";
import type { Step, StepAnswers } from "../steps.ts";
import type { MemoryDatabase } from "./memory-database.ts";

export interface MemoryStepContext {
  readonly database: MemoryDatabase;
  readonly transaction: JobTransaction;
}

/** Runs a step. Throwing undoes the whole call that the step belongs to. */
export type MemoryStepRunner<Kind extends Step["step"]> = (
  step: Extract<Step, { step: Kind }>,
  now: number,
  context: MemoryStepContext,
) => StepAnswers[Kind];
