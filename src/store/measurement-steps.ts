import type { ColdStart } from "../domain/attempt.ts";
import type { SlotWidth, StatisticsSlot } from "../domain/statistics.ts";

/** Keeps for the timeline how long the worker took to start that got the job with this attempt. */
export interface NoteColdStart {
  readonly step: "noteColdStart";
  readonly endpoint: string;
  readonly id: string;
  readonly attempt: number;
  readonly coldStart: ColdStart;
}

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

/** The steps about what was measured. */
export type MeasurementStep = NoteColdStart | StatisticsStep;

export interface MeasurementStepAnswers {
  noteColdStart: { readonly accepted: boolean };
  /** How many slots the step added to. */
  addStatistics: { readonly count: number };
  /** How many slots the step removed. */
  forgetStatistics: { readonly count: number };
}
