import type { QueueFill } from "../../domain/queue-cap.ts";
import type { Counts } from "../store.ts";
import { type Database, prepare } from "./sqlite-driver.ts";

/**
 * The counters of each endpoint. Steps add to them in memory; `flush` writes what has come together as one
 * statement per endpoint, inside the transaction of the steps. An endpoint exists for jobs exactly while its
 * counters do.
 */
export interface Counters {
  has(endpoint: string): boolean;
  /** As of the last commit; undefined when there is no such endpoint. */
  of(endpoint: string): Counts | undefined;
  /** Of all endpoints, as of the last commit. */
  all(): ReadonlyMap<string, Counts>;
  /** Waiting and running jobs, those of the open transaction included. */
  unfinished(endpoint: string): number;
  /** Waiting jobs, those of the open transaction included. */
  queued(endpoint: string): number;
  /** What waits, that of the open transaction included. */
  fill(endpoint: string): QueueFill;
  add(endpoint: string, change: Partial<Counts>): void;
  create(endpoint: string): void;
  remove(endpoint: string): void;
  flush(): void;
  /** The transaction is durable: what it added counts. */
  committed(): void;
  /** The transaction is gone, and what it added with it. */
  rolledBack(): void;
}

const FIELDS = [
  "queued",
  "queuedLowPriority",
  "queuedBytes",
  "running",
  "completed",
  "failed",
  "retried",
  "ignored",
] as const;

type Tally = Record<(typeof FIELDS)[number], number>;

const ZERO: Tally = {
  queued: 0,
  queuedLowPriority: 0,
  queuedBytes: 0,
  running: 0,
  completed: 0,
  failed: 0,
  retried: 0,
  ignored: 0,
};

export function counters(database: Database): Counters {
  const select = prepare<Tally & { endpoint: string }, []>(
    database,
    `SELECT endpoint, queued, queued_low_priority AS queuedLowPriority, queued_bytes AS queuedBytes, running,
            completed, failed, retried, ignored
     FROM counter`,
  );
  const insert = prepare<never, [string]>(database, "INSERT OR IGNORE INTO counter (endpoint) VALUES (?1)");
  const remove = prepare<never, [string]>(database, "DELETE FROM counter WHERE endpoint = ?1");
  const update = prepare<never, [string, number, number, number, number, number, number, number, number]>(
    database,
    `UPDATE counter
     SET queued = queued + ?2, queued_low_priority = queued_low_priority + ?3,
         queued_bytes = queued_bytes + ?4, running = running + ?5,
         completed = completed + ?6, failed = failed + ?7, retried = retried + ?8,
         ignored = ignored + ?9
     WHERE endpoint = ?1`,
  );
  let totals = load();
  /** What the open transaction has added. */
  const added = new Map<string, Tally>();
  let endpointsChanged = false;

  function load(): Map<string, Tally> {
    return new Map(select.all().map(({ endpoint, ...tally }) => [endpoint, tally]));
  }

  return {
    has: (endpoint) => totals.has(endpoint),

    of: (endpoint) => totals.get(endpoint),

    all: () => totals,

    unfinished(endpoint) {
      const total = totals.get(endpoint) ?? ZERO;
      const change = added.get(endpoint) ?? ZERO;
      return total.queued + total.running + change.queued + change.running;
    },

    queued: (endpoint) => (totals.get(endpoint)?.queued ?? 0) + (added.get(endpoint)?.queued ?? 0),

    fill(endpoint) {
      const total = totals.get(endpoint) ?? ZERO;
      const change = added.get(endpoint) ?? ZERO;
      return {
        queued: total.queued + change.queued,
        queuedBytes: total.queuedBytes + change.queuedBytes,
      };
    },

    add(endpoint, change) {
      let tally = added.get(endpoint);
      if (tally === undefined) {
        tally = { ...ZERO };
        added.set(endpoint, tally);
      }
      for (const field of FIELDS) tally[field] += change[field] ?? 0;
    },

    create(endpoint) {
      insert.run(endpoint);
      if (!totals.has(endpoint)) totals.set(endpoint, { ...ZERO });
      endpointsChanged = true;
    },

    remove(endpoint) {
      remove.run(endpoint);
      totals.delete(endpoint);
      // An endpoint of the same id that is made in this transaction begins at 0.
      added.delete(endpoint);
      endpointsChanged = true;
    },

    flush() {
      for (const [endpoint, t] of added) {
        update.run(
          endpoint,
          t.queued,
          t.queuedLowPriority,
          t.queuedBytes,
          t.running,
          t.completed,
          t.failed,
          t.retried,
          t.ignored,
        );
      }
    },

    committed() {
      for (const [endpoint, tally] of added) {
        const total = totals.get(endpoint);
        if (total !== undefined) for (const field of FIELDS) total[field] += tally[field];
      }
      added.clear();
      endpointsChanged = false;
    },

    rolledBack() {
      added.clear();
      if (endpointsChanged) totals = load();
      endpointsChanged = false;
    },
  };
}
