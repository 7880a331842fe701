import type { QueueFill } from "../../domain/queue-cap.ts";
import type { Counts } from "../store.ts";
import { type Database, prepare, prepareList } from "./sqlite-driver.ts";

type Tally = { -readonly [Field in keyof Counts]: number };

/** The counters of one endpoint. Each job changes the numbers in place, so a commit creates no objects. */
interface Counter {
  readonly endpoint: string;
  /** As of the last commit. */
  readonly committed: Tally;
  /** With what the open transaction has added. */
  readonly now: Tally;
}

/**
 * The counters of each endpoint. Steps add to them in memory; `flush` writes each that has changed as one
 * statement, inside the transaction of the steps. An endpoint exists for jobs exactly while its counters do.
 */
export class Counters {
  readonly #statements: ReturnType<typeof statementsOf>;
  #counters: Map<string, Counter>;
  /** Those that the open transaction has changed. */
  readonly #changed = new Set<Counter>();
  /** Whether the open transaction has created or removed an endpoint. */
  #endpointsChanged = false;

  constructor(database: Database) {
    this.#statements = statementsOf(database);
    this.#counters = this.#load();
  }

  has(endpoint: string): boolean {
    return this.#counters.has(endpoint);
  }

  /** As of the last commit; undefined when there is no such endpoint. */
  of(endpoint: string): Counts | undefined {
    const counter = this.#counters.get(endpoint);
    return counter && { ...counter.committed };
  }

  /** Of all endpoints, as of the last commit. */
  all(): Map<string, Counts> {
    const all = new Map<string, Counts>();
    for (const [endpoint, { committed }] of this.#counters) all.set(endpoint, { ...committed });
    return all;
  }

  /** Waiting and running jobs, those of the open transaction included. */
  unfinished(endpoint: string): number {
    const now = this.#counters.get(endpoint)?.now;
    return now === undefined ? 0 : now.queued + now.running;
  }

  /** What waits, that of the open transaction included. */
  fill(endpoint: string): QueueFill {
    return this.#counters.get(endpoint)?.now ?? NO_JOBS;
  }

  /** Does nothing if there is no such endpoint. */
  add(endpoint: string, change: Partial<Counts>): void {
    const counter = this.#counters.get(endpoint);
    if (counter === undefined) return;
    this.#changed.add(counter);
    const { now } = counter;
    now.queued += change.queued ?? 0;
    now.queuedLowPriority += change.queuedLowPriority ?? 0;
    now.queuedBytes += change.queuedBytes ?? 0;
    now.running += change.running ?? 0;
    now.completed += change.completed ?? 0;
    now.failed += change.failed ?? 0;
    now.retried += change.retried ?? 0;
    now.ignored += change.ignored ?? 0;
  }

  create(endpoint: string): void {
    this.#statements.insert.run(endpoint);
    if (!this.#counters.has(endpoint)) this.#counters.set(endpoint, counterOf({ endpoint, ...NO_JOBS }));
    this.#endpointsChanged = true;
  }

  remove(endpoint: string): void {
    this.#statements.remove.run(endpoint);
    const counter = this.#counters.get(endpoint);
    // If this transaction creates an endpoint with the same id, it begins at 0.
    if (counter !== undefined) this.#changed.delete(counter);
    this.#counters.delete(endpoint);
    this.#endpointsChanged = true;
  }

  flush(): void {
    for (const { endpoint, now } of this.#changed) {
      this.#statements.update.run([
        endpoint,
        now.queued,
        now.queuedLowPriority,
        now.queuedBytes,
        now.running,
        now.completed,
        now.failed,
        now.retried,
        now.ignored,
      ]);
    }
  }

  /** The transaction is durable: what it added counts. */
  committed(): void {
    for (const { committed, now } of this.#changed) copy(now, committed);
    this.#changed.clear();
    this.#endpointsChanged = false;
  }

  /** The transaction is gone, and what it added with it. */
  rolledBack(): void {
    for (const { committed, now } of this.#changed) copy(committed, now);
    this.#changed.clear();
    if (this.#endpointsChanged) this.#counters = this.#load();
    this.#endpointsChanged = false;
  }

  #load(): Map<string, Counter> {
    return new Map(this.#statements.select.all().map((row) => [row.endpoint, counterOf(row)]));
  }
}

const NO_JOBS: Counts = {
  queued: 0,
  queuedLowPriority: 0,
  queuedBytes: 0,
  running: 0,
  completed: 0,
  failed: 0,
  retried: 0,
  ignored: 0,
};

interface CounterRow extends Counts {
  readonly endpoint: string;
}

function counterOf({ endpoint, ...counts }: CounterRow): Counter {
  return { endpoint, committed: { ...counts }, now: { ...counts } };
}

/** A loop over the names of the fields takes several times as long. */
function copy(from: Counts, to: Tally): void {
  to.queued = from.queued;
  to.queuedLowPriority = from.queuedLowPriority;
  to.queuedBytes = from.queuedBytes;
  to.running = from.running;
  to.completed = from.completed;
  to.failed = from.failed;
  to.retried = from.retried;
  to.ignored = from.ignored;
}

function statementsOf(database: Database) {
  const select = prepare<CounterRow, []>(
    database,
    `SELECT endpoint, queued, queued_low_priority AS queuedLowPriority, queued_bytes AS queuedBytes, running,
            completed, failed, retried, ignored
     FROM counter`,
  );
  const insert = prepare<never, [string]>(database, "INSERT OR IGNORE INTO counter (endpoint) VALUES (?1)");
  const remove = prepare<never, [string]>(database, "DELETE FROM counter WHERE endpoint = ?1");
  const update = prepareList(
    database,
    `UPDATE counter
     SET queued = ?2, queued_low_priority = ?3, queued_bytes = ?4, running = ?5, completed = ?6, failed = ?7,
         retried = ?8, ignored = ?9
     WHERE endpoint = ?1`,
  );
  return { select, insert, remove, update };
}
