import type { Counts } from "../store.ts";
import { type Journal, JournaledMap } from "./journal.ts";

/** The counts of each endpoint that there is. */
export interface MemoryCounters {
  has(endpoint: string): boolean;
  of(endpoint: string): Counts | undefined;
  all(): Iterable<readonly [endpoint: string, counts: Counts]>;
  /** Counts nothing on an endpoint that is gone. */
  add(endpoint: string, change: Partial<Counts>): void;
  create(endpoint: string): void;
  remove(endpoint: string): void;
}

const ZERO: Counts = {
  queued: 0,
  queuedLowPriority: 0,
  queuedBytes: 0,
  running: 0,
  completed: 0,
  failed: 0,
  retried: 0,
  ignored: 0,
};

export function memoryCounters(journal: Journal): MemoryCounters {
  const totals = new JournaledMap<Counts>(journal);

  return {
    has: (endpoint) => totals.has(endpoint),
    of: (endpoint) => totals.get(endpoint),
    all: () => totals.entries(),

    add(endpoint, change) {
      const before = totals.get(endpoint);
      if (before === undefined) return;
      const after = {
        queued: before.queued + (change.queued ?? 0),
        queuedLowPriority: before.queuedLowPriority + (change.queuedLowPriority ?? 0),
        queuedBytes: before.queuedBytes + (change.queuedBytes ?? 0),
        running: before.running + (change.running ?? 0),
        completed: before.completed + (change.completed ?? 0),
        failed: before.failed + (change.failed ?? 0),
        retried: before.retried + (change.retried ?? 0),
        ignored: before.ignored + (change.ignored ?? 0),
      };
      if (Object.values(after).some((count) => count < 0) || after.queuedLowPriority > after.queued) {
        throw new Error(`the counts of endpoint ${endpoint} would be wrong: ${JSON.stringify(after)}`);
      }
      totals.put(endpoint, after);
    },

    create(endpoint) {
      if (!totals.has(endpoint)) totals.put(endpoint, ZERO);
    },

    remove: (endpoint) => totals.put(endpoint, undefined),
  };
}
