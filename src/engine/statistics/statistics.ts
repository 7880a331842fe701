import { type Counted, type Figures } from "../../domain/figures.ts";
import { observe } from "../../domain/histogram.ts";
import { firstSlot, SLOT_WIDTHS, slotAt } from "../../domain/statistics.ts";
import type { Signal } from "../../store/signals.ts";
import { paced } from "../paced.ts";
import type { StoreAccess, WithStop } from "../verb-needs.ts";
import { type StatisticsWindows, statisticsWindows } from "./statistics-windows.ts";
import { entry, type StatisticsTarget, unwrittenStatistics } from "./unwritten-statistics.ts";

/**
 * Counts what happens to jobs, once, on the server that committed it: in memory first. Now and then the
 * figures are added to those in the store.
 */
export interface Statistics extends Pick<StatisticsWindows, "read"> {
  /** Counts changes that this server has committed. From others it learns only which endpoints are gone. */
  follow(signals: readonly Signal[], isOwn: boolean): void;
  /** By endpoint, since this server started. */
  readonly sinceStart: ReadonlyMap<string, Figures>;
  /** Stores what was counted. If that fails, it is kept for the next time. */
  flush(): Promise<void>;
  /** The same, twice in each of the narrowest slots. Call it once a second. */
  flushInTime(): Promise<void>;
}

const [{ width: NARROW }] = SLOT_WIDTHS;

/** A crash loses what was counted in this time, and one more second, at most; ms. */
const FLUSH_EVERY = NARROW / 2;

/** What an event counts as. Other events do not count. */
const COUNTS_AS: Partial<Record<Signal["event"], Counted>> = {
  enqueue: "submitted",
  take: "taken",
  complete: "completed",
  completeLate: "completed",
  fail: "failed",
  giveUp: "failed",
  cutOff: "failed",
  timeOut: "timedOut",
  cancel: "cancelled",
  purge: "cancelled",
  retry: "retried",
};

export function statistics(target: StatisticsTarget): Statistics {
  const { store, clock } = target;
  const sinceStart = new Map<string, Figures>();
  const unwritten = unwrittenStatistics(target, (slots) => windows.written(slots));
  const windows = statisticsWindows(clock, {
    stored: (endpoint, width, from) => unwritten.readBetween(() => store.statistics(endpoint, width, from)),
    unwritten: unwritten.slotsOf,
  });
  let flushedAt = 0;

  function count({ event, endpoint, worker, lasted = 0, isLoss }: Signal, at: number): void {
    const counted = COUNTS_AS[event];
    if (counted === undefined && isLoss !== true) return;
    for (const figures of [entry(sinceStart, endpoint), entry(unwritten.slotsFor(endpoint), at)]) {
      if (counted !== undefined) figures.counts[counted]++;
      if (isLoss === true || event === "giveUp") figures.counts.lost++;
      if (event === "take") observe(figures.delay, Math.max(0, lasted));
      else if (worker !== undefined && isLoss === undefined) observe(figures.execution, Math.max(0, lasted));
    }
  }

  function forget(endpoint: string): void {
    sinceStart.delete(endpoint);
    unwritten.forget(endpoint);
  }

  return {
    sinceStart,
    flush: unwritten.flush,
    read: windows.read,

    follow(signals, isOwn) {
      const at = slotAt(clock.now(), NARROW);
      for (const signal of signals) {
        if (isOwn) count(signal, at);
        if (signal.event === "remove") forget(signal.endpoint);
      }
    },

    async flushInTime() {
      windows.tidy();
      const now = slotAt(clock.now(), FLUSH_EVERY);
      if (now === flushedAt) return;
      await unwritten.flush();
      flushedAt = now;
    },
  };
}

/** Removes the slots that no period reaches any more. */
export async function forgetStatistics(engine: StoreAccess & WithStop): Promise<void> {
  for (const { width, keptFor } of SLOT_WIDTHS) {
    if (engine.isStopping) return;
    await paced(engine, async (limit) => {
      const now = engine.clock.now();
      const before = firstSlot(now, keptFor, width);
      const [answer] = await engine.store.apply([{ step: "forgetStatistics", width, before, limit }], now);
      return answer.count === limit;
    });
  }
}

export interface WithStatistics {
  /** The counts of what has happened to jobs. */
  readonly statistics: Statistics;
}
