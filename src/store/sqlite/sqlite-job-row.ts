import type { JobRecord, JobResult } from "../../domain/job.ts";
import { type JobColumns, jobOf } from "../job-columns.ts";
import { IN_ROW, type PayloadColumn, type Payloads } from "./sqlite-payloads.ts";

/** All columns of a job but its payloads. */
export const JOB_COLUMNS = `seq, endpoint, id, state, position, holder, worker, attempt, losses, undelivered,
  proved, denials, barred, barred_until, queued_at, taken_at, lease_ends_at, ended_at, ttl, expires_at,
  execution_timeout, retention, due_at, low_priority, bytes, beside, chunks, chunk_bytes, cursor, receiver,
  webhook`;

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

/** That of a job which waits. */
export const NO_RESULT: ResultRow = { output: null, error: null, progress: null };

/** The job that a row describes, without its payloads, and whether something of it lies outside the row. */
export function columnsOf(row: StoredJob): JobColumns & { readonly beside: boolean } {
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
    beside: row.beside === 1,
  };
}

/** The job with its result. */
export function recordOf(row: StoredJob & ResultRow, payloads: Payloads): JobRecord {
  return { ...jobOf(columnsOf(row)), ...resultOf(row, payloads) };
}

export function resultOf({ output, error, progress }: ResultRow, payloads: Payloads): JobResult {
  return {
    output: output === null ? undefined : payloads.load(output),
    error: error === null ? undefined : payloads.load(error),
    progress: progress === null ? undefined : payloads.load(progress),
  };
}
