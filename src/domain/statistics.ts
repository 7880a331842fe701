import type { Figures } from "./figures.ts";
import type { WorkerCounts } from "./fleet-report.ts";
import type { WaitReason } from "./wait-reason.ts";

/** How long slots of each width are kept, ms. This limits how many there are. */
export const SLOT_WIDTHS = [
  { width: 10_000, keptFor: 3_600_000 },
  { width: 3_600_000, keptFor: 30 * 86_400_000 },
] as const;

export type SlotWidth = (typeof SLOT_WIDTHS)[number]["width"];

/** The periods that a client can ask for, and the width of their slots, ms. */
export const STATISTICS_PERIODS = {
  "15m": { length: 900_000, width: 10_000 },
  "1h": { length: 3_600_000, width: 10_000 },
  "24h": { length: 86_400_000, width: 3_600_000 },
  "7d": { length: 7 * 86_400_000, width: 3_600_000 },
  "30d": { length: 30 * 86_400_000, width: 3_600_000 },
} as const satisfies Record<string, { length: number; width: SlotWidth }>;

export type StatisticsPeriod = keyof typeof STATISTICS_PERIODS;

/** Their names. */
export const PERIODS = Object.keys(STATISTICS_PERIODS).filter(isPeriod);

export function isPeriod(text: string): text is StatisticsPeriod {
  return Object.hasOwn(STATISTICS_PERIODS, text);
}

/** The present state of an endpoint, and its figures over a period. */
export interface EndpointStatistics {
  readonly endpoint: string;
  readonly period: StatisticsPeriod;
  /** The width of a slot, ms. */
  readonly step: number;
  readonly from: number;
  readonly to: number;
  readonly now: {
    readonly inQueue: number;
    readonly inProgress: number;
    /** How long the first job of the queue has waited, ms; undefined if none waits. */
    readonly oldest: number | undefined;
    readonly workers: WorkerCounts;
    /** Why jobs wait or would wait; undefined if they need not. */
    readonly waits: WaitReason | undefined;
  };
  readonly total: Figures;
  /** The slots with figures, by their beginnings, the oldest first. */
  readonly points: ReadonlyMap<number, Figures>;
  /** The slot that is still filling. */
  readonly point: { readonly at: number; readonly figures: Figures };
}

/** The figures of an endpoint for `width` ms from `at` on. */
export interface StatisticsSlot {
  readonly endpoint: string;
  readonly width: SlotWidth;
  readonly at: number;
  readonly figures: Figures;
}

/** The beginning of the slot of this width that contains `time`. */
export function slotAt(time: number, width: number): number {
  return time - (time % width);
}

/** The beginning of the first slot of a period of `length` whose last slot contains `now`. */
export function firstSlot(now: number, length: number, width: SlotWidth): number {
  return slotAt(now, width) - length + width;
}
