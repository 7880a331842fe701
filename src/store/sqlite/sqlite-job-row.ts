import type { Job, JobRecord } from "../../domain/job.ts";
import type { JobColumns } from "../job-columns.ts";
import type { PayloadColumn, Payloads } from "./sqlite-payloads.ts";

/** The columns of a job that make a `Job`, and its number in this database. */
export const JOB_COLUMNS = `seq, endpoint, id, state, position, holder, worker, attempt, losses, undelivered,
  proved, denials, queued_at, taken_at, lease_ends_at, ended_at, ttl, expires_at, execution_timeout,
  retention, due_at, low_priority, bytes, beside, chunks, cursor, receiver`;

export const RESULT_COLUMNS = "output, error, progress";

/** What `JOB_COLUMNS` asks for; SQLite knows no booleans. */
export interface JobRow extends Omit<
  JobColumns,
  "proved" | "low_priority" | "keyed" | "barred" | "barred_until" | "chunk_bytes" | "webhook"
> {
  readonly seq: number;
  readonly proved: number;
  readonly low_priority: number;
  readonly beside: number;
}

export interface ResultRow {
  readonly output: PayloadColumn | null;
  readonly error: PayloadColumn | null;
  readonly progress: PayloadColumn | null;
}

/** The job that a row tells of, with `change` made to it. */
export function jobOf(row: JobRow, change: Partial<Job> = {}): Job {
  const state = change.state ?? row.state;
  return {
    endpoint: row.endpoint,
    id: row.id,
    state,
    position: row.position,
    attempt: row.attempt,
    losses: row.losses,
    undelivered: row.undelivered,
    worker: row.worker ?? undefined,
    proved: row.proved === 1,
    isSilent: state === "IN_PROGRESS" && row.lease_ends_at === null,
    denials: row.denials,
    queuedAt: row.queued_at,
    takenAt: row.taken_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    expiresAt: row.expires_at,
    executionTimeout: row.execution_timeout,
    retention: row.retention,
    dueAt: row.due_at,
    ...change,
  };
}

/** The job with its result. */
export function recordOf(row: JobRow & ResultRow, payloads: Payloads): JobRecord {
  return {
    ...jobOf(row),
    output: row.output === null ? undefined : payloads.load(row.output),
    error: row.error === null ? undefined : payloads.load(row.error),
    progress: row.progress === null ? undefined : payloads.load(row.progress),
  };
}

/** Who runs the job, or may still run it after its end. */
export function holderOf(row: Pick<JobRow, "holder">): string | undefined {
  return row.holder === null || row.holder === "" ? undefined : row.holder;
}
