import type { JobColumns } from "../job-columns.ts";
import type { Submission } from "../job-steps/job-transaction.ts";
import { prepare } from "./sqlite-driver.ts";
import {
  columnsOf,
  JOB_COLUMNS,
  NO_RESULT,
  type ResultRow,
  type StoredJob,
  UNREAD_RESULTS,
} from "./sqlite-job-row.ts";
import { IN_ROW, type PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";
import { type JobRow, type JobToWrite, sqliteWriteJobs } from "./sqlite-write-jobs.ts";

/** A job in hand, or a running one that was. */
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
  /** Writes them and forgets all: the next step finds its rows, and changes them, by statements. */
  release(): void;
  /** Forgets what running jobs were like after earlier transactions. */
  forgetRunning(): void;
  /** The transaction is durable. */
  committed(): void;
  /** The transaction is gone. */
  rolledBack(): void;
}

type ReadJob = StoredJob & ResultRow;
type ReadWaitingJob = StoredJob & { readonly body: PayloadColumn; readonly secret: PayloadColumn | null };

/** If more running jobs are known, all are read again: about 1 kB each. */
const RUNNING_LIMIT = 10_000;

/** What is known of an endpoint. */
interface EndpointJobs {
  /**
   * The jobs in hand, and running jobs as they were committed last, so that a result need not read its job:
   * nobody else writes them.
   */
  readonly jobs: Map<string, TrackedJob>;
  /** Of the jobs in hand those that wait, in the order of hand-outs. */
  waiting: TrackedJob[];
  reached: Reached;
  /** For which `waiting` and `reached` count. */
  transaction: number;
}

const COLUMNS = `${JOB_COLUMNS}, ${UNREAD_RESULTS}`;

/** Up to where the jobs that wait in the database were read; at first from the lowest position on. */
interface Reached {
  readonly position: number;
  readonly seq: number;
}

const NONE: Reached = { position: Number.MIN_SAFE_INTEGER, seq: 0 };
const ALL: Reached = { position: Number.POSITIVE_INFINITY, seq: 0 };

export function sqliteTrackedJobs({ database, counters }: Tables): TrackedJobs {
  const select = prepare<ReadJob, [endpoint: string, id: string]>(
    database,
    `SELECT ${COLUMNS} FROM job WHERE endpoint = ?1 AND id = ?2`,
  );
  const selectHeld = prepare<ReadJob, [endpoint: string, worker: string]>(
    database,
    `SELECT ${COLUMNS} FROM job WHERE endpoint = ?1 AND holder = ?2`,
  );
  // The casts: bare parameters in an equality or a LIMIT beside ORDER BY make SQLite compile the statement
  // anew at each call.
  const selectWaiting = prepare<
    ReadWaitingJob,
    [endpoint: string, position: number, seq: number, now: number, limit: number]
  >(
    database,
    `SELECT ${JOB_COLUMNS}, body, secret FROM job
     WHERE endpoint = cast(?1 AS TEXT) AND holder = '' AND (position, seq) > (?2, ?3) AND expires_at > ?4
     ORDER BY position, seq
     LIMIT cast(?5 AS INTEGER)`,
  );
  const selectLast = prepare<{ seq: number | null }, []>(database, "SELECT max(seq) AS seq FROM job");
  const write = sqliteWriteJobs(database);

  const endpoints = new Map<string, EndpointJobs>();
  /** The jobs of this transaction. */
  let inHand: TrackedJob[] = [];
  let transaction = 0;
  /** How many jobs the endpoints have. */
  let known = 0;
  let lastSeq = selectLast.get()?.seq ?? 0;

  function jobsOn(endpoint: string): EndpointJobs {
    let own = endpoints.get(endpoint);
    if (own === undefined) {
      own = { jobs: new Map(), waiting: [], reached: NONE, transaction };
      endpoints.set(endpoint, own);
    } else if (own.transaction !== transaction) {
      own.waiting = [];
      own.reached = NONE;
      own.transaction = transaction;
    }
    return own;
  }

  function add(own: EndpointJobs, tracked: TrackedJob): void {
    own.jobs.set(tracked.row.id, tracked);
    known++;
    inHand.push(tracked);
    if (tracked.row.holder === "") beginsToWait(own.waiting, tracked);
  }

  function hold(tracked: TrackedJob): TrackedJob {
    if (!tracked.isInHand) {
      tracked.isInHand = true;
      inHand.push(tracked);
    }
    return tracked;
  }

  /** A row that was read; a job that is known stays as it is. */
  function adopt(
    own: EndpointJobs,
    read: StoredJob,
    { output, error, progress }: ResultRow,
    body: PayloadColumn | undefined,
    secret: PayloadColumn | null,
  ): TrackedJob {
    const found = own.jobs.get(read.id);
    if (found !== undefined) return hold(found);
    const row: JobRow = { ...columnsOf(read), output, error, progress };
    const tracked = { seq: read.seq, row, before: row, body, secret, submission: undefined, isInHand: true };
    add(own, tracked);
    return tracked;
  }

  function readWaiting(endpoint: string, own: EndpointJobs, now: number, limit: number): void {
    const { position, seq } = own.reached;
    const read = selectWaiting.all(endpoint, position, seq, now, limit);
    for (const row of read) adopt(own, row, NO_RESULT, row.body, row.secret);
    const last = read.at(-1);
    own.reached = last === undefined || read.length < limit ? ALL : last;
  }

  function flush(): void {
    for (const tracked of inHand) write(tracked);
  }

  /** Forgets the jobs in hand. */
  function drop(): void {
    for (const { row } of inHand) endpoints.get(row.endpoint)?.jobs.delete(row.id);
    known -= inHand.length;
    nextTransaction();
  }

  function nextTransaction(): void {
    inHand = [];
    transaction++;
  }

  function forgetAll(): void {
    endpoints.clear();
    known = 0;
  }

  return {
    find(endpoint, id) {
      const own = jobsOn(endpoint);
      const found = own.jobs.get(id);
      if (found !== undefined) return hold(found);
      const read = select.get(endpoint, id);
      return read === null ? undefined : adopt(own, read, read, undefined, null);
    },

    of({ endpoint, id }) {
      const tracked = endpoints.get(endpoint)?.jobs.get(id);
      if (tracked?.isInHand !== true) throw new Error(`job ${id} is changed and was not found before`);
      return tracked;
    },

    waiting(endpoint, count, may, now) {
      const own = jobsOn(endpoint);
      for (let limit = count; ; limit *= 2) {
        // The counters say without a statement that no other job waits.
        if (counters.queued(endpoint) <= own.waiting.length) own.reached = ALL;
        const found = firstOf(own, count, may);
        if (found.length === count || own.reached === ALL) return found;
        readWaiting(endpoint, own, now, limit);
      }
    },

    heldBy(endpoint, worker) {
      const own = jobsOn(endpoint);
      for (const row of selectHeld.all(endpoint, worker)) adopt(own, row, row, undefined, null);
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
      drop();
    },

    forgetRunning: forgetAll,

    committed() {
      for (const tracked of inHand) {
        const { endpoint, id, state } = tracked.row;
        if (state === "IN_PROGRESS") stays(tracked);
        else {
          endpoints.get(endpoint)?.jobs.delete(id);
          known--;
        }
      }
      nextTransaction();
      if (known > RUNNING_LIMIT) forgetAll();
    },

    rolledBack: drop,
  };
}

/** Those that `may` be taken, of the jobs that are read. */
function firstOf({ waiting, reached }: EndpointJobs, count: number, may: (row: JobRow) => boolean): JobRow[] {
  const found: JobRow[] = [];
  for (const { row } of waiting) {
    if (found.length === count || row.position > reached.position) break;
    if (may(row)) found.push(row);
  }
  return found;
}

function beginsToWait(waiting: TrackedJob[], tracked: TrackedJob): void {
  const { position } = tracked.row;
  // Most come in their order.
  let at = waiting.length;
  while (at > 0 && (waiting[at - 1]?.row.position ?? 0) > position) at--;
  if (at === waiting.length) waiting.push(tracked);
  else waiting.splice(at, 0, tracked);
}

/** The job is known as the database has it now, without its payloads. */
function stays(tracked: TrackedJob): void {
  if (tracked.row.progress instanceof Uint8Array) tracked.row = { ...tracked.row, progress: IN_ROW };
  tracked.before = tracked.row;
  tracked.body = undefined;
  tracked.secret = null;
  tracked.submission = undefined;
  tracked.isInHand = false;
}
