import { isTerminal } from "../../domain/transitions.ts";
import type { JobColumns } from "../job-columns.ts";
import type { Submission } from "../job-steps/job-transaction.ts";
import { type JobRow, jobRowOf, type Place, type ReadJob, sqliteReadRows } from "./sqlite-job-row.ts";
import { IN_ROW, type PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";
import { type JobToWrite, sqliteWriteJobs } from "./sqlite-write-jobs.ts";

/** A job in hand, or one that is known from an earlier transaction. */
export interface TrackedJob extends JobToWrite {
  row: JobRow;
  before: JobRow | undefined;
  /** What was submitted, where it is known. */
  body: PayloadColumn | undefined;
  secret: PayloadColumn | null;
  submission: Submission | undefined;
  isInHand: boolean;
}

/** The rows of jobs in one transaction: read when a step asks for them, and written once, by `flush`. */
export interface TrackedJobs {
  find(endpoint: string, id: string): TrackedJob | undefined;
  /** The job that an earlier call has answered. */
  of(job: Pick<JobColumns, "endpoint" | "id">): TrackedJob;
  /** As `JobTransaction.waiting`. */
  waiting(endpoint: string, count: number, may: (job: JobColumns) => boolean, now: number): JobRow[];
  /** As `JobTransaction.heldBy`. */
  heldBy(endpoint: string, worker: string): JobRow[];
  insert(row: JobRow, body: PayloadColumn, secret: PayloadColumn | null, submission: Submission): void;
  change(tracked: TrackedJob, row: JobRow): void;
  /** Writes the jobs that have changed: to be called before the transaction is committed. */
  flush(): void;
  /** Writes them and lets go of them: the next step finds its rows, and changes them, by statements. */
  release(): void;
  /** Forgets all jobs: the next step changes rows of waiting or running jobs by statements. */
  forget(): void;
  /** The transaction is durable. */
  committed(): void;
  /** The transaction is gone. */
  rolledBack(): void;
}

/** If more jobs are known, all are read again: about 1 kB each, and up to 2 kB of what was submitted. */
const KNOWN_LIMIT = 10_000;

/** So many jobs at the front of each queue are known at most. */
const FRONT_LIMIT = 1_000;

/** So many are read at least where the front is used up. */
const READ_AHEAD = 64;

/** What is known of an endpoint. Nobody else writes these rows, so they need not be read again. */
interface EndpointJobs {
  /** The jobs in hand, and as they were committed last: the running ones, and the front of the queue. */
  readonly jobs: Map<string, TrackedJob>;
  /** Those of them that wait, in the order of hand-outs. */
  readonly waiting: TrackedJob[];
  /** All jobs that wait up to this place are known, but for those whose ttl is over. */
  reached: Place;
}

const NONE: Place = { position: Number.MIN_SAFE_INTEGER, seq: 0 };
const ALL: Place = { position: Number.POSITIVE_INFINITY, seq: 0 };

export function sqliteTrackedJobs({ database, counters }: Tables): TrackedJobs {
  const rows = sqliteReadRows(database);
  const write = sqliteWriteJobs(database);

  const endpoints = new Map<string, EndpointJobs>();
  /** The jobs of this transaction. */
  let inHand: TrackedJob[] = [];
  /** How many jobs the endpoints have. */
  let known = 0;
  let lastSeq = rows.lastSeq();

  function jobsOn(endpoint: string): EndpointJobs {
    let own = endpoints.get(endpoint);
    if (own === undefined) {
      own = { jobs: new Map(), waiting: [], reached: NONE };
      endpoints.set(endpoint, own);
    }
    return own;
  }

  function add(own: EndpointJobs, tracked: TrackedJob): void {
    own.jobs.set(tracked.row.id, tracked);
    known++;
    inHand.push(tracked);
    if (tracked.row.holder === "") beginsToWait(own.waiting, tracked);
  }

  function remove(own: EndpointJobs, { row }: TrackedJob): void {
    if (own.jobs.delete(row.id)) known--;
  }

  function hold(tracked: TrackedJob): TrackedJob {
    if (!tracked.isInHand) {
      tracked.isInHand = true;
      inHand.push(tracked);
    }
    return tracked;
  }

  /** A row that was read; a job that is known stays as it is. */
  function adopt(own: EndpointJobs, read: ReadJob): TrackedJob {
    const found = own.jobs.get(read.id);
    if (found !== undefined) return hold(found);
    const { seq, body, secret = null } = read;
    const row = jobRowOf(read);
    const tracked = { seq, row, before: row, body, secret, submission: undefined, isInHand: true };
    add(own, tracked);
    return tracked;
  }

  function readWaiting(endpoint: string, own: EndpointJobs, now: number, limit: number): void {
    const read = rows.waiting(endpoint, own.reached, now, limit);
    for (const row of read) adopt(own, row);
    const last = read.length < limit ? undefined : read.at(-1);
    own.reached = last === undefined ? ALL : { position: last.position, seq: last.seq };
  }

  function flush(): void {
    for (const tracked of inHand) write(tracked);
  }

  /** The jobs in hand are as the database has them: those that run, or wait at the front, stay known. */
  function letGo(): void {
    for (const tracked of inHand) {
      const own = jobsOn(tracked.row.endpoint);
      if (isTerminal(tracked.row.state)) remove(own, tracked);
      else if (tracked.row.state === "IN_QUEUE") shorten(own);
      isWritten(tracked);
    }
    inHand = [];
  }

  /** Forgets jobs behind the front of the queue. */
  function shorten(own: EndpointJobs): void {
    forgetBehind(own);
    const last = own.waiting[FRONT_LIMIT - 1];
    if (last === undefined || own.waiting.length === FRONT_LIMIT) return;
    own.reached = placeOf(last);
    forgetBehind(own);
  }

  function forgetBehind(own: EndpointJobs): void {
    for (;;) {
      const last = own.waiting.at(-1);
      if (last === undefined || !isBehind(last, own.reached)) return;
      own.waiting.pop();
      remove(own, last);
    }
  }

  function forget(): void {
    endpoints.clear();
    known = 0;
    inHand = [];
  }

  return {
    find(endpoint, id) {
      const own = jobsOn(endpoint);
      const found = own.jobs.get(id);
      if (found !== undefined) return hold(found);
      const read = rows.one(endpoint, id);
      return read === null ? undefined : adopt(own, read);
    },

    of({ endpoint, id }) {
      const tracked = endpoints.get(endpoint)?.jobs.get(id);
      if (tracked?.isInHand !== true) throw new Error(`job ${id} is changed and was not found before`);
      return tracked;
    },

    waiting(endpoint, count, may, now) {
      const own = jobsOn(endpoint);
      for (let limit = Math.max(count, READ_AHEAD); ; limit *= 2) {
        // The counters say without a statement that no other job waits.
        if (counters.queued(endpoint) <= own.waiting.length) own.reached = ALL;
        const found = firstOf(own, count, may);
        if (found.length === count || own.reached === ALL) return found.map((tracked) => hold(tracked).row);
        readWaiting(endpoint, own, now, limit);
      }
    },

    heldBy(endpoint, worker) {
      const own = jobsOn(endpoint);
      for (const row of rows.heldBy(endpoint, worker)) adopt(own, row);
      const held: JobRow[] = [];
      for (const { row } of inHand) if (row.holder === worker && row.endpoint === endpoint) held.push(row);
      return held.toSorted((one, other) => one.position - other.position);
    },

    insert(row, body, secret, submission) {
      const own = jobsOn(row.endpoint);
      if (own.jobs.has(row.id)) throw new Error(`job ${row.id} is there already`);
      lastSeq += 1;
      add(own, { seq: lastSeq, row, before: undefined, body, secret, submission, isInHand: true });
    },

    change(tracked, row) {
      const { holder } = tracked.row;
      if (row.holder === holder) tracked.row = row;
      else {
        const { waiting } = jobsOn(row.endpoint);
        if (holder === "") waiting.splice(waiting.indexOf(tracked), 1);
        tracked.row = row;
        if (row.holder === "") beginsToWait(waiting, tracked);
      }
    },

    flush,

    release() {
      flush();
      letGo();
    },

    forget,

    committed() {
      letGo();
      if (known > KNOWN_LIMIT) forget();
    },

    // Also what was let go within the transaction is not in the database.
    rolledBack: forget,
  };
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

/** The job is known as the database has it now; what was submitted only while it waits. */
function isWritten(tracked: TrackedJob): void {
  if (tracked.row.progress instanceof Uint8Array) tracked.row = { ...tracked.row, progress: IN_ROW };
  tracked.before = tracked.row;
  tracked.submission = undefined;
  tracked.isInHand = false;
  if (tracked.row.holder === "") return;
  tracked.body = undefined;
  tracked.secret = null;
}
