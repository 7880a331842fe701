import type { Plan } from "./plan.ts";

export interface Regression {
  /** What was wrong. */
  readonly sentence: string;
  readonly plan: Plan;
}

/** Plans that found a fault. A run that fails prints its plan, so that it can stand here. */
export const REGRESSIONS: readonly Regression[] = [];
