import type { QueueFill } from "../../domain/queue-cap.ts";
import type { Counts } from "../store.ts";
import { type Database, prepare } from "./sqlite-driver.ts";

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

/**
 * The counters of each endpoint. Steps add to them in memory; `flush` writes what has come together as one
 * statement per endpoint, inside the transaction of the steps. An endpoint exists for jobs exactly while its
 * counters do.
 */
export class Counters {
  readonly #statements: ReturnType<typeof statementsOf>;
  #totals: Map<string, Tally>;
  /** What the open transaction has added. */
  readonly #added = new Map<string, Tally>();
  /** Whether the open transaction has created or removed an endpoint. */
  #endpointsChanged = false;

  constructor(database: Database) {
    this.#statements = statementsOf(database);
    this.#totals = this.#load();
  }

  has(endpoint: string): boolean {
    return this.#totals.has(endpoint);
  }

  /** As of the last commit; undefined when there is no such endpoint. */
  of(endpoint: string): Counts | undefined {
    return this.#totals.get(endpoint);
  }

  /** Of all endpoints, as of the last commit. */
  all(): ReadonlyMap<string, Counts> {
    return this.#totals;
  }

  /** Waiting and running jobs, those of the open transaction included. */
  unfinished(endpoint: string): number {
    const total = this.#totals.get(endpoint) ?? ZERO;
    const change = this.#added.get(endpoint) ?? ZERO;
    return total.queued + total.running + change.queued + change.running;
  }

  /** Waiting jobs, those of the open transaction included. */
  queued(endpoint: string): number {
    return (this.#totals.get(endpoint)?.queued ?? 0) + (this.#added.get(endpoint)?.queued ?? 0);
  }

  /** What waits, that of the open transaction included. */
  fill(endpoint: string): QueueFill {
    const total = this.#totals.get(endpoint) ?? ZERO;
    const change = this.#added.get(endpoint) ?? ZERO;
    return {
      queued: total.queued + change.queued,
      queuedBytes: total.queuedBytes + change.queuedBytes,
    };
  }

  add(endpoint: string, change: Partial<Counts>): void {
    let tally = this.#added.get(endpoint);
    if (tally === undefined) {
      tally = { ...ZERO };
      this.#added.set(endpoint, tally);
    }
    for (const field of FIELDS) tally[field] += change[field] ?? 0;
  }

  create(endpoint: string): void {
    this.#statements.insert.run(endpoint);
    if (!this.#totals.has(endpoint)) this.#totals.set(endpoint, { ...ZERO });
    this.#endpointsChanged = true;
  }

  remove(endpoint: string): void {
    this.#statements.remove.run(endpoint);
    this.#totals.delete(endpoint);
    // If this transaction creates an endpoint with the same id, it begins at 0.
    this.#added.delete(endpoint);
    this.#endpointsChanged = true;
  }

  flush(): void {
    for (const [endpoint, t] of this.#added) {
      this.#statements.update.run(
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
  }

  /** The transaction is durable: what it added counts. */
  committed(): void {
    for (const [endpoint, tally] of this.#added) {
      const total = this.#totals.get(endpoint);
      if (total !== undefined) for (const field of FIELDS) total[field] += tally[field];
    }
    this.#added.clear();
    this.#endpointsChanged = false;
  }

  /** The transaction is gone, and what it added with it. */
  rolledBack(): void {
    this.#added.clear();
    if (this.#endpointsChanged) this.#totals = this.#load();
    this.#endpointsChanged = false;
  }

  #load(): Map<string, Tally> {
    return new Map(this.#statements.select.all().map(({ endpoint, ...tally }) => [endpoint, tally]));
  }
}

function statementsOf(database: Database) {
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
  return { select, insert, remove, update };
}
