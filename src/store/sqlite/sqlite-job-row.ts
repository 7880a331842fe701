import type { JobRecord, JobResult } from "../../domain/job.ts";
import { type JobColumns, jobOf } from "../job-columns.ts";
import { type Database, prepare } from "./sqlite-driver.ts";
import { IN_ROW, type PayloadColumn, type Payloads } from "./sqlite-payloads.ts";

/** All columns of a job but its payloads. */
export const JOB_COLUMNS = `seq, endpoint, id, state, position, holder, worker, attempt, losses, undelivered,
  proved, denials, barred, barred_until, queued_at, taken_at, lease_ends_at, ended_at, ttl, expires_at,
  execution_timeout, retention, due_at, low_priority, bytes, beside, chunks, chunk_bytes, cursor, receiver,
  webhook, tags`;

export const RESULT_COLUMNS = "output, error, progress";

/** The results that are not read with a row: whether there are bytes, or which payload it is. */
export const UNREAD_RESULTS = ["output", "error", "progress"]
  .map((name) => `iif(typeof(${name}) = 'blob', ${IN_ROW}, ${name}) AS ${name}`)
  .join(", ");

/** What `JOB_COLUMNS` asks for; SQLite has no booleans. */
export interface StoredJob extends Omit<JobColumns, "proved" | "low_priority"> {
  readonly seq: number;
  readonly proved: number;
  readonly low_priority: number;
  /** 1 if something of the job lies outside its row: a payload, a chunk, an attempt, a key. */
  readonly beside: number;
}

export interface ResultRow {
  readonly output: PayloadColumn | null;
  readonly error: PayloadColumn | null;
  readonly progress: PayloadColumn | null;
}

/** A job as its row will be, without what was submitted. */
export interface JobRow extends JobColumns, ResultRow {
  /** Whether something of the job lies outside its row. */
  readonly beside: boolean;
}

/** A row with what was read of its payloads; one that waits has no result. */
export interface ReadJob extends StoredJob, Partial<ResultRow> {
  readonly body?: PayloadColumn;
  readonly secret?: PayloadColumn | null;
}

/** The job that a row describes. */
export function jobRowOf(row: ReadJob): JobRow {
  return {
    endpoint: row.endpoint,
    id: row.id,
    state: row.state,
    position: row.position,
    holder: row.holder,
    worker: row.worker,
    attempt: row.attempt,
    losses: row.losses,
    undelivered: row.undelivered,
    proved: row.proved === 1,
    denials: row.denials,
    barred: row.barred,
    barred_until: row.barred_until,
    queued_at: row.queued_at,
    taken_at: row.taken_at,
    lease_ends_at: row.lease_ends_at,
    ended_at: row.ended_at,
    ttl: row.ttl,
    expires_at: row.expires_at,
    execution_timeout: row.execution_timeout,
    retention: row.retention,
    due_at: row.due_at,
    low_priority: row.low_priority === 1,
    bytes: row.bytes,
    chunks: row.chunks,
    chunk_bytes: row.chunk_bytes,
    cursor: row.cursor,
    receiver: row.receiver,
    webhook: row.webhook,
    tags: row.tags,
    beside: row.beside === 1,
    output: row.output ?? null,
    error: row.error ?? null,
    progress: row.progress ?? null,
  };
}

/** A place in the order of hand-outs. */
export interface Place {
  readonly position: number;
  readonly seq: number;
}

/** Reads the rows that steps change. */
export function sqliteReadRows(database: Database) {
  const columns = `${JOB_COLUMNS}, ${UNREAD_RESULTS}`;
  const select = prepare<ReadJob, [endpoint: string, id: string]>(
    database,
    `SELECT ${columns} FROM job WHERE endpoint = ?1 AND id = ?2`,
  );
  const selectHeld = prepare<ReadJob, [endpoint: string, worker: string]>(
    database,
    `SELECT ${columns} FROM job WHERE endpoint = ?1 AND holder = ?2`,
  );
  // The casts: with bare parameters in an equality, or in a LIMIT with ORDER BY, SQLite compiles the
  // statement again at each call.
  const selectWaiting = prepare<
    ReadJob,
    [endpoint: string, position: number, seq: number, now: number, limit: number]
  >(
    database,
    `SELECT ${JOB_COLUMNS}, body, secret FROM job
     WHERE endpoint = cast(?1 AS TEXT) AND holder = '' AND (position, seq) > (?2, ?3) AND expires_at > ?4
     ORDER BY position, seq
     LIMIT cast(?5 AS INTEGER)`,
  );
  const selectLast = prepare<{ seq: number | null }, []>(database, "SELECT max(seq) AS seq FROM job");

  return {
    one: (endpoint: string, id: string) => select.get(endpoint, id),
    heldBy: (endpoint: string, worker: string) => selectHeld.all(endpoint, worker),
    /** With what was submitted: the first `limit` jobs that wait behind the place, and may be handed out. */
    waiting: (endpoint: string, { position, seq }: Place, now: number, limit: number) =>
      selectWaiting.all(endpoint, position, seq, now, limit),
    /** The highest number of a row. */
    lastSeq: () => selectLast.get()?.seq ?? 0,
  };
}

/** The job with its result. */
export function recordOf(row: StoredJob & ResultRow, payloads: Payloads): JobRecord {
  return { ...jobOf(jobRowOf(row)), ...resultOf(row, payloads) };
}

export function resultOf({ output, error, progress }: ResultRow, payloads: Payloads): JobResult {
  return {
    output: output === null ? undefined : payloads.load(output),
    error: error === null ? undefined : payloads.load(error),
    progress: progress === null ? undefined : payloads.load(progress),
  };
}
