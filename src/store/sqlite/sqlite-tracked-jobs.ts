import { isTerminal } from "../../domain/transitions.ts";
import type { JobColumns } from "../job-columns.ts";
import type { Submission } from "../job-steps/job-transaction.ts";
import type { Counters } from "./sqlite-counters.ts";
import { type JobRow, jobRowOf, type Place, type ReadJob, sqliteReadRows } from "./sqlite-job-row.ts";
import { IN_ROW, type PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";
import { type JobToWrite, sqliteWriteJobs } from "./sqlite-write-jobs.ts";

/** A job in memory: of this transaction (in hand), or cached from an earlier one. */
export interface TrackedJob extends JobToWrite {
  row: JobRow;
  before: JobRow | undefined;
  /** What was submitted, if it is in memory. */
  body: PayloadColumn | undefined;
  secret: PayloadColumn | null;
  submission: Submission | undefined;
  isInHand: boolean;
}

/** If more jobs are cached, all are read again: about 1 kB each, and up to 2 kB of what was submitted. */
const CACHE_LIMIT = 10_000;

/** At most so many jobs at the front of each queue are cached. */
const FRONT_LIMIT = 1_000;

/** At least so many are read when the front is used up. */
const READ_AHEAD = 64;

/** The cached jobs of an endpoint. Nobody else writes these rows, so they need not be read again. */
interface EndpointJobs {
  /** The jobs in hand, and, as they were committed last, the running ones and the front of the queue. */
  readonly jobs: JobsById;
  /** Those of them that wait, in the order of hand-outs. */
  readonly waiting: TrackedJob[];
  /** All jobs that wait up to this place are cached, except those whose ttl has expired. */
  reached: Place;
}

/** Jobs by id. Old tables of a Map keep what was in it until a full garbage collection: here only places. */
class JobsById {
  readonly #places = new Map<string, { job: TrackedJob | undefined }>();

  get size(): number {
    return this.#places.size;
  }

  get(id: string): TrackedJob | undefined {
    return this.#places.get(id)?.job;
  }

  add(job: TrackedJob): void {
    this.#places.set(job.row.id, { job });
  }

  /** False if it was not there. */
  delete(id: string): boolean {
    const place = this.#places.get(id);
    if (place !== undefined) place.job = undefined;
    return this.#places.delete(id);
  }
}

const NONE: Place = { position: Number.MIN_SAFE_INTEGER, seq: 0 };
const ALL: Place = { position: Number.POSITIVE_INFINITY, seq: 0 };

/** The rows of jobs in one transaction: read when a step asks for them, and written once, by `flush`. */
export class TrackedJobs {
  readonly #counters: Counters;
  readonly #rows: ReturnType<typeof sqliteReadRows>;
  readonly #write: ReturnType<typeof sqliteWriteJobs>;
  /** An endpoint is here while it has cached jobs. */
  readonly #endpoints = new Map<string, EndpointJobs>();
  /** The jobs of this transaction. */
  #inHand: TrackedJob[] = [];
  /** How many jobs the endpoints have. */
  #cached = 0;
  #lastSeq: number;

  constructor({ database, counters }: Tables) {
    this.#counters = counters;
    this.#rows = sqliteReadRows(database);
    this.#write = sqliteWriteJobs(database);
    this.#lastSeq = this.#rows.lastSeq();
  }

  find(endpoint: string, id: string): TrackedJob | undefined {
    const found = this.#endpoints.get(endpoint)?.jobs.get(id);
    if (found !== undefined) return this.#hold(found);
    const read = this.#rows.one(endpoint, id);
    return read === null ? undefined : this.#adopt(read);
  }

  /** The job that an earlier call has answered. */
  of({ endpoint, id }: Pick<JobColumns, "endpoint" | "id">): TrackedJob {
    const tracked = this.#endpoints.get(endpoint)?.jobs.get(id);
    if (tracked?.isInHand !== true) throw new Error(`job ${id} is changed and was not found before`);
    return tracked;
  }

  /** As `JobTransaction.waiting`. */
  waiting(endpoint: string, count: number, may: (job: JobColumns) => boolean, now: number): JobRow[] {
    const queued = this.#counters.fill(endpoint).queued;
    if (queued === 0) return [];
    const own = this.#jobsOn(endpoint);
    for (let limit = Math.max(count, READ_AHEAD); ; limit *= 2) {
      // The counters say without a statement that no other job waits.
      if (queued <= own.waiting.length) own.reached = ALL;
      const found = firstOf(own, count, may);
      if (found.length === count || own.reached === ALL) {
        return found.map((tracked) => this.#hold(tracked).row);
      }
      this.#readWaiting(endpoint, own, now, limit);
    }
  }

  /** As `JobTransaction.heldBy`. */
  heldBy(endpoint: string, worker: string): JobRow[] {
    for (const row of this.#rows.heldBy(endpoint, worker)) this.#adopt(row);
    const held: JobRow[] = [];
    for (const { row } of this.#inHand) {
      if (row.holder === worker && row.endpoint === endpoint) held.push(row);
    }
    return held.toSorted((one, other) => one.position - other.position);
  }

  insert(row: JobRow, body: PayloadColumn, secret: PayloadColumn | null, submission: Submission): void {
    const own = this.#jobsOn(row.endpoint);
    if (own.jobs.get(row.id) !== undefined) throw new Error(`job ${row.id} is there already`);
    this.#lastSeq += 1;
    this.#add(own, { seq: this.#lastSeq, row, before: undefined, body, secret, submission, isInHand: true });
  }

  change(tracked: TrackedJob, row: JobRow): void {
    const { holder } = tracked.row;
    if (row.holder === holder) tracked.row = row;
    else {
      const { waiting } = this.#jobsOn(row.endpoint);
      if (holder === "") waiting.splice(waiting.indexOf(tracked), 1);
      tracked.row = row;
      if (row.holder === "") beginsToWait(waiting, tracked);
    }
  }

  /** Writes the jobs that have changed: to be called before the transaction is committed. */
  flush(): void {
    for (const tracked of this.#inHand) this.#write(tracked);
  }

  /** Writes them and lets go of them: the next step finds its rows, and changes them, by statements. */
  release(): void {
    this.flush();
    this.#letGo();
  }

  /** Forgets all jobs: the next step changes rows of waiting or running jobs by statements. */
  forget(): void {
    this.#endpoints.clear();
    this.#cached = 0;
    this.#inHand = [];
  }

  /** The transaction is durable. */
  committed(): void {
    this.#letGo();
    if (this.#cached > CACHE_LIMIT) this.forget();
  }

  /** The transaction is gone. Also what was released within it is not in the database. */
  rolledBack(): void {
    this.forget();
  }

  #jobsOn(endpoint: string): EndpointJobs {
    let own = this.#endpoints.get(endpoint);
    if (own === undefined) {
      const reached = this.#counters.fill(endpoint).queued === 0 ? ALL : NONE;
      own = { jobs: new JobsById(), waiting: [], reached };
      this.#endpoints.set(endpoint, own);
    }
    return own;
  }

  #add(own: EndpointJobs, tracked: TrackedJob): void {
    own.jobs.add(tracked);
    this.#cached++;
    this.#inHand.push(tracked);
    if (tracked.row.holder === "") beginsToWait(own.waiting, tracked);
  }

  #remove(own: EndpointJobs, { row }: TrackedJob): void {
    if (own.jobs.delete(row.id)) this.#cached--;
  }

  #hold(tracked: TrackedJob): TrackedJob {
    if (!tracked.isInHand) {
      tracked.isInHand = true;
      this.#inHand.push(tracked);
    }
    return tracked;
  }

  /** A row that was read; a cached job stays as it is. */
  #adopt(read: ReadJob): TrackedJob {
    const own = this.#jobsOn(read.endpoint);
    const found = own.jobs.get(read.id);
    if (found !== undefined) return this.#hold(found);
    const { seq, body, secret = null } = read;
    const row = jobRowOf(read);
    const tracked = { seq, row, before: row, body, secret, submission: undefined, isInHand: true };
    this.#add(own, tracked);
    return tracked;
  }

  #readWaiting(endpoint: string, own: EndpointJobs, now: number, limit: number): void {
    const read = this.#rows.waiting(endpoint, own.reached, now, limit);
    for (const row of read) this.#adopt(row);
    const last = read.length < limit ? undefined : read.at(-1);
    own.reached = last === undefined ? ALL : { position: last.position, seq: last.seq };
  }

  /** The jobs in hand are as the database has them: those that run, or wait at the front, stay cached. */
  #letGo(): void {
    for (const tracked of this.#inHand) {
      const own = this.#jobsOn(tracked.row.endpoint);
      if (isTerminal(tracked.row.state)) this.#remove(own, tracked);
      else if (tracked.row.state === "IN_QUEUE") this.#shorten(own);
      if (own.jobs.size === 0) this.#endpoints.delete(tracked.row.endpoint);
      isWritten(tracked);
    }
    this.#inHand = [];
  }

  /** Forgets jobs behind the front of the queue. */
  #shorten(own: EndpointJobs): void {
    this.#forgetBehind(own);
    const last = own.waiting[FRONT_LIMIT - 1];
    if (last === undefined || own.waiting.length === FRONT_LIMIT) return;
    own.reached = placeOf(last);
    this.#forgetBehind(own);
  }

  #forgetBehind(own: EndpointJobs): void {
    for (;;) {
      const last = own.waiting.at(-1);
      if (last === undefined || !isBehind(last, own.reached)) return;
      own.waiting.pop();
      this.#remove(own, last);
    }
  }
}

/** Those that `may` be taken, of the jobs that are read. */
function firstOf({ waiting, reached }: EndpointJobs, count: number, may: (row: JobRow) => boolean) {
  const found: TrackedJob[] = [];
  for (const tracked of waiting) {
    if (found.length === count || isBehind(tracked, reached)) break;
    if (may(tracked.row)) found.push(tracked);
  }
  return found;
}

function beginsToWait(waiting: TrackedJob[], tracked: TrackedJob): void {
  const place = placeOf(tracked);
  // Most come in their order.
  let at = waiting.length;
  for (let last = waiting[at - 1]; last !== undefined && isBehind(last, place); last = waiting[at - 1]) at--;
  if (at === waiting.length) waiting.push(tracked);
  else waiting.splice(at, 0, tracked);
}

function placeOf({ seq, row }: TrackedJob): Place {
  return { position: row.position, seq };
}

function isBehind({ seq, row }: TrackedJob, place: Place): boolean {
  return row.position > place.position || (row.position === place.position && seq > place.seq);
}

/** The job is cached as the database has it now; what was submitted only while it waits. */
function isWritten(tracked: TrackedJob): void {
  if (tracked.row.progress instanceof Uint8Array) tracked.row = { ...tracked.row, progress: IN_ROW };
  tracked.before = tracked.row;
  tracked.submission = undefined;
  tracked.isInHand = false;
  if (tracked.row.holder === "") return;
  tracked.body = undefined;
  tracked.secret = null;
}
