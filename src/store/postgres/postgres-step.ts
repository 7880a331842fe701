import type { Step, StepAnswers } from "../steps.ts";
import type { Connection } from "./postgres-driver.ts";
import type { Unit } from "./postgres-unit.ts";

/**
 * Decides a step about rows that are locked and at hand, and notes what it changes. Throwing undoes the whole
 * call that the step belongs to.
 */
export type StepRunner<Kind extends Step["step"]> = (
  step: Extract<Step, { step: Kind }>,
  now: number,
  unit: Unit,
) => StepAnswers[Kind];

/** Runs a step that finds and changes its rows itself, inside the open transaction and alone in it. */
export type LoneStepRunner<Kind extends Step["step"]> = (
  step: Extract<Step, { step: Kind }>,
  now: number,
  unit: Unit,
  connection: Connection,
) => Promise<StepAnswers[Kind]>;
