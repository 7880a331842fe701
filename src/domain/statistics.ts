import type { Figures } from "./figures.ts";
import type { WorkerCounts } from "./fleet-report.ts";

/** How long figures are kept by slots of each width, ms: so their number has a bound. */
export const SLOT_WIDTHS = [
  { width: 10_000, keptFor: 3_600_000 },
  { width: 3_600_000, keptFor: 30 * 86_400_000 },
] as const;

export type SlotWidth = (typeof SLOT_WIDTHS)[number]["width"];

/** The times that can be asked for, and the slots in which they are told, ms. */
export const STATISTICS_PERIODS = {
  "15m": { length: 900_000, width: 10_000 },
  "1h": { length: 3_600_000, width: 10_000 },
  "7d": { length: 7 * 86_400_000, width: 3_600_000 },
  "30d": { length: 30 * 86_400_000, width: 3_600_000 },
} as const satisfies Record<string, { length: number; width: SlotWidth }>;

export type StatisticsPeriod = keyof typeof STATISTICS_PERIODS;

/** Their names. */
export const PERIODS = Object.keys(STATISTICS_PERIODS).filter(isPeriod);

export function isPeriod(text: string): text is StatisticsPeriod {
  return Object.hasOwn(STATISTICS_PERIODS, text);
}

/** How it is with an endpoint now, and what has happened on it. */
export interface EndpointStatistics {
  readonly endpoint: string;
  readonly period: StatisticsPeriod;
  /** Of a slot, ms. */
  readonly step: number;
  readonly from: number;
  readonly to: number;
  readonly now: {
    readonly inQueue: number;
    readonly inProgress: number;
    /** How long the job at the front of the queue has waited, ms; undefined when none waits. */
    readonly oldest: number | undefined;
    readonly workers: WorkerCounts;
  };
  readonly total: Figures;
  /** The slots in which something has happened, by their beginnings, the oldest first. */
  readonly points: ReadonlyMap<number, Figures>;
  /** The slot that is still filling. */
  readonly point: { readonly at: number; readonly figures: Figures };
}

/** What has happened on an endpoint from `at` on, for `width` ms. */
export interface StatisticsSlot {
  readonly endpoint: string;
  readonly width: SlotWidth;
  readonly at: number;
  readonly figures: Figures;
}

/** When the slot of this width began in which `time` lies. */
export function slotAt(time: number, width: number): number {
  return time - (time % width);
}

/** The beginning of the first of as many slots as `length` holds, of which `now` lies in the last. */
export function firstSlot(now: number, length: number, width: SlotWidth): number {
  return slotAt(now, width) - length + width;
}
