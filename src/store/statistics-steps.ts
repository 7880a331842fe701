import type { SlotWidth, StatisticsSlot } from "../domain/statistics.ts";

/**
 * Adds what `server` has counted to its rows. Figures of deleted endpoints are ignored. Each server has rows
 * of its own.
 */
export interface AddStatistics {
  readonly step: "addStatistics";
  readonly server: string;
  readonly slots: readonly StatisticsSlot[];
}

/** Removes at most `limit` slots of this width that began before `before`. */
export interface ForgetStatistics {
  readonly step: "forgetStatistics";
  readonly width: SlotWidth;
  readonly before: number;
  readonly limit: number;
}

export type StatisticsStep = AddStatistics | ForgetStatistics;

/** How many slots the step added to or removed. */
export interface StatisticsStepAnswers {
  addStatistics: { readonly count: number };
  forgetStatistics: { readonly count: number };
}
