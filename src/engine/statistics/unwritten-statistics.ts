import type { Clock } from "../../domain/clock.ts";
import { addFigures, emptyFigures, type Figures } from "../../domain/figures.ts";
import { SLOT_WIDTHS, slotAt, type StatisticsSlot } from "../../domain/statistics.ts";
import type { Store } from "../../store/store.ts";

/** What this server has counted and not stored yet, by endpoint and the beginning of the narrowest slot. */
export interface UnwrittenStatistics {
  /** The slots of the endpoint, to add figures to. */
  slotsFor(endpoint: string): Map<number, Figures>;
  /** The figures of the endpoint in slots of both widths, also those that are being stored. */
  slotsOf(endpoint: string): readonly StatisticsSlot[];
  /** Stores them. If that fails, they are kept for the next time. */
  flush(): Promise<void>;
  /**
   * Reads from the store while nothing is being stored. Otherwise figures could be read twice, as stored and
   * as unwritten, or not at all.
   */
  readBetween<Result>(read: () => Promise<Result>): Promise<Result>;
  forget(endpoint: string): void;
}

export interface StatisticsTarget {
  readonly server: string;
  readonly store: Store;
  readonly clock: Clock;
}

type Pending = Map<string, Map<number, Figures>>;

const [{ width: NARROW }, { width: WIDE }] = SLOT_WIDTHS;

/** Endpoints that one step stores: other steps wait for it. */
const TOGETHER = 25;

export function unwrittenStatistics(
  { server, store, clock }: StatisticsTarget,
  onWritten: (slots: readonly StatisticsSlot[]) => void,
): UnwrittenStatistics {
  let pending: Pending = new Map();
  /** Being stored. */
  let writing: Pending = new Map();
  let flushing: Promise<void> | undefined;
  let flushes = 0;

  function slotsFor(endpoint: string): Map<number, Figures> {
    const present = pending.get(endpoint);
    if (present !== undefined) return present;
    const slots = new Map<number, Figures>();
    pending.set(endpoint, slots);
    return slots;
  }

  async function write(): Promise<void> {
    await sampleQueues({ store, clock }, pending);
    flushes++;
    writing = pending;
    pending = new Map();
    try {
      while (writing.size > 0) {
        const endpoints = [...writing.keys()].slice(0, TOGETHER);
        const slots = endpoints.flatMap((endpoint) => slotsIn(writing, endpoint));
        await store.apply([{ step: "addStatistics", server, slots }], clock.now());
        for (const endpoint of endpoints) writing.delete(endpoint);
        onWritten(slots);
      }
    } finally {
      for (const [endpoint, slots] of writing) {
        for (const [at, figures] of slots) addFigures(entry(slotsFor(endpoint), at), figures);
      }
      writing = new Map();
      flushes++;
    }
  }

  return {
    slotsFor,
    slotsOf: (endpoint) => [...slotsIn(writing, endpoint), ...slotsIn(pending, endpoint)],
    forget: (endpoint) => void pending.delete(endpoint),

    async flush() {
      if (pending.size === 0) return;
      flushing ??= write().finally(() => {
        flushing = undefined;
      });
      await flushing;
    },

    async readBetween(read) {
      for (;;) {
        await flushing?.catch(() => undefined);
        const before = flushes;
        const result = await read();
        if (before === flushes) return result;
      }
    },
  };
}

/** The figures of `key`, created if they are not there yet. */
export function entry<Key>(all: Map<Key, Figures>, key: Key): Figures {
  const present = all.get(key);
  if (present !== undefined) return present;
  const figures = emptyFigures();
  all.set(key, figures);
  return figures;
}

/** Adds the present length of each queue. */
async function sampleQueues(
  { store, clock }: Pick<StatisticsTarget, "store" | "clock">,
  pending: Pending,
): Promise<void> {
  for (const [endpoint, slots] of pending) {
    const counts = await store.counts(endpoint);
    const queue = counts && { at: clock.now(), inQueue: counts.queued, inProgress: counts.running };
    for (const figures of slots.values()) figures.queue = queue ?? figures.queue;
  }
}

/** In slots of both widths. */
function slotsIn(pending: Pending, endpoint: string): StatisticsSlot[] {
  const narrow = [...(pending.get(endpoint) ?? [])];
  const wide = new Map<number, Figures>();
  for (const [at, figures] of narrow) addFigures(entry(wide, slotAt(at, WIDE)), figures);
  return [
    ...narrow.map(([at, figures]) => ({ endpoint, width: NARROW, at, figures })),
    ...[...wide].map(([at, figures]) => ({ endpoint, width: WIDE, at, figures })),
  ];
}
