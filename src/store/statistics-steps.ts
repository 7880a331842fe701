import type { SlotWidth, StatisticsSlot } from "../domain/statistics.ts";

/**
 * What `server` has counted is added to what it had before; of an endpoint that is gone nothing is. Each
 * server has rows of its own.
 */
export interface AddStatistics {
  readonly step: "addStatistics";
  readonly server: string;
  readonly slots: readonly StatisticsSlot[];
}

/** At most `limit` slots of this width that began before `before` are removed. */
export interface ForgetStatistics {
  readonly step: "forgetStatistics";
  readonly width: SlotWidth;
  readonly before: number;
  readonly limit: number;
}

export type StatisticsStep = AddStatistics | ForgetStatistics;

/** How many were added to, or removed. */
export interface StatisticsStepAnswers {
  addStatistics: { readonly count: number };
  forgetStatistics: { readonly count: number };
}
