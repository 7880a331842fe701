import type { Step, StepAnswers } from "../steps.ts";
import type { Connection } from "./postgres-driver.ts";
import type { Unit } from "./postgres-unit.ts";

/** Runs a step that finds and changes its rows itself, inside the open transaction and alone in it. */
export type LoneStepRunner<Kind extends Step["step"]> = (
  step: Extract<Step, { step: Kind }>,
  now: number,
  unit: Unit,
  connection: Connection,
) => Promise<StepAnswers[Kind]>;
