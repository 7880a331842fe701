import type { Clock } from "../../domain/clock.ts";
import { addFigures, type Counted, emptyFigures, type Figures } from "../../domain/figures.ts";
import { observe } from "../../domain/histogram.ts";
import { SLOT_WIDTHS, slotAt, type StatisticsSlot } from "../../domain/statistics.ts";
import type { Signal, Store } from "../../store/store.ts";
import { type StatisticsWindows, statisticsWindows } from "./statistics-windows.ts";

/**
 * Counts what happens to jobs, once, where it was committed: in memory alone, and added now and then to what
 * the store keeps.
 */
export interface Statistics extends Pick<StatisticsWindows, "read"> {
  /** Counts changes that this server has committed; of those of others it learns which endpoints are gone. */
  follow(signals: readonly Signal[], isOwn: boolean): void;
  /** By endpoint, since this server started. */
  readonly sinceStart: ReadonlyMap<string, Figures>;
  /** Makes durable what was counted. What cannot be is kept for the next time. */
  flush(): Promise<void>;
  /** The same, twice in each of the narrowest slots; to be called each second. */
  flushInTime(): Promise<void>;
}

const [{ width: NARROW }, { width: WIDE }] = SLOT_WIDTHS;

/** What a crash loses was counted in this time, and a second, at most; ms. */
const FLUSH_EVERY = NARROW / 2;

/** Endpoints that are written with one step: others wait for it. */
const TOGETHER = 25;

/** What an event counts as; those that are left out count as nothing. */
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

/** What is not durable yet, by endpoint and the beginning of the narrowest slot. */
type Pending = Map<string, Map<number, Figures>>;

export function statistics({
  server,
  store,
  clock,
}: {
  readonly server: string;
  readonly store: Store;
  readonly clock: Clock;
}): Statistics {
  const sinceStart = new Map<string, Figures>();
  let pending: Pending = new Map();
  /** Being written. */
  let writing: Pending = new Map();
  let flushing: Promise<void> | undefined;
  let flushes = 0;
  let flushedAt = 0;

  const windows = statisticsWindows(clock, {
    async stored(endpoint, width, from) {
      // What is written while it is read would be there twice, or not at all.
      for (;;) {
        await flushing?.catch(() => undefined);
        const before = flushes;
        const slots = await store.statistics(endpoint, width, from);
        if (before === flushes) return slots;
      }
    },
    unwritten: (endpoint) => [...slotsOf(writing, endpoint), ...slotsOf(pending, endpoint)],
  });

  function count({ event, endpoint, worker, lasted = 0, isLoss }: Signal, at: number): void {
    const counted = COUNTS_AS[event];
    if (counted === undefined && isLoss !== true) return;
    for (const figures of [entry(sinceStart, endpoint), entry(slotsFor(endpoint), at)]) {
      if (counted !== undefined) figures.counts[counted]++;
      if (isLoss === true || event === "giveUp") figures.counts.lost++;
      if (event === "take") observe(figures.delay, Math.max(0, lasted));
      else if (worker !== undefined && isLoss === undefined) observe(figures.execution, Math.max(0, lasted));
    }
  }

  function slotsFor(endpoint: string): Map<number, Figures> {
    const present = pending.get(endpoint);
    if (present !== undefined) return present;
    const slots = new Map<number, Figures>();
    pending.set(endpoint, slots);
    return slots;
  }

  async function sample(): Promise<void> {
    for (const [endpoint, slots] of pending) {
      const counts = await store.counts(endpoint);
      const queue = counts && { at: clock.now(), inQueue: counts.queued, inProgress: counts.running };
      for (const figures of slots.values()) figures.queue = queue ?? figures.queue;
    }
  }

  async function write(): Promise<void> {
    await sample();
    flushes++;
    writing = pending;
    pending = new Map();
    try {
      while (writing.size > 0) {
        const endpoints = [...writing.keys()].slice(0, TOGETHER);
        const slots = endpoints.flatMap((endpoint) => slotsOf(writing, endpoint));
        await store.apply([{ step: "addStatistics", server, slots }], clock.now());
        for (const endpoint of endpoints) writing.delete(endpoint);
        windows.written(slots);
      }
    } finally {
      for (const [endpoint, slots] of writing) {
        for (const [at, figures] of slots) addFigures(entry(slotsFor(endpoint), at), figures);
      }
      writing = new Map();
      flushes++;
    }
  }

  async function flush(): Promise<void> {
    if (pending.size === 0) return;
    flushing ??= write().finally(() => {
      flushing = undefined;
    });
    await flushing;
  }

  return {
    sinceStart,
    flush,
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
      await flush();
      flushedAt = now;
    },
  };

  function forget(endpoint: string): void {
    sinceStart.delete(endpoint);
    pending.delete(endpoint);
  }
}

function entry<Key>(all: Map<Key, Figures>, key: Key): Figures {
  const present = all.get(key);
  if (present !== undefined) return present;
  const figures = emptyFigures();
  all.set(key, figures);
  return figures;
}

/** In slots of both widths. */
function slotsOf(pending: Pending, endpoint: string): StatisticsSlot[] {
  const narrow = [...(pending.get(endpoint) ?? [])];
  const wide = new Map<number, Figures>();
  for (const [at, figures] of narrow) addFigures(entry(wide, slotAt(at, WIDE)), figures);
  return [
    ...narrow.map(([at, figures]) => ({ endpoint, width: NARROW, at, figures })),
    ...[...wide].map(([at, figures]) => ({ endpoint, width: WIDE, at, figures })),
  ];
}

export interface WithStatistics {
  /** What has happened to jobs, counted. */
  readonly statistics: Statistics;
}
