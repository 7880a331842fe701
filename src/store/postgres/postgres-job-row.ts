import type { Job, JobRecord } from "../../domain/job.ts";
import type { JobColumns } from "../job-columns.ts";
import type { ElementType } from "./postgres-driver.ts";
import { payloadOf } from "./postgres-payload-columns.ts";

/** A job as its row tells it. What a statement did not ask for is undefined. */
export interface JobRow extends JobColumns {
  readonly body_ref: string | null;
  readonly secret_ref: string | null;
  readonly output_ref: string | null;
  readonly error_ref: string | null;
  readonly progress_ref: string | null;
  readonly body?: Uint8Array | null;
  readonly secret?: Uint8Array | null;
  readonly output?: Uint8Array | null;
  readonly error?: Uint8Array | null;
  readonly progress?: Uint8Array | null;
}

export type JobColumn = keyof JobRow;

/** Every column of the table, and what an array of it is made of. */
export const JOB_COLUMN_TYPES: Readonly<Record<JobColumn, ElementType>> = {
  endpoint: "text",
  id: "text",
  state: "text",
  position: "bigint",
  holder: "text",
  worker: "text",
  attempt: "integer",
  losses: "integer",
  undelivered: "integer",
  proved: "boolean",
  denials: "integer",
  barred: "text",
  barred_until: "bigint",
  queued_at: "bigint",
  taken_at: "bigint",
  lease_ends_at: "bigint",
  ended_at: "bigint",
  ttl: "bigint",
  expires_at: "bigint",
  execution_timeout: "bigint",
  retention: "bigint",
  due_at: "bigint",
  low_priority: "boolean",
  bytes: "bigint",
  keyed: "boolean",
  chunks: "integer",
  chunk_bytes: "bigint",
  cursor: "integer",
  receiver: "text",
  webhook: "bytea",
  body_ref: "text",
  secret_ref: "text",
  output_ref: "text",
  error_ref: "text",
  progress_ref: "text",
  body: "bytea",
  secret: "bytea",
  output: "bytea",
  error: "bytea",
  progress: "bytea",
};

// The table above has every column and nothing else.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const COLUMN_NAMES = Object.keys(JOB_COLUMN_TYPES) as JobColumn[];

const CONTENTS = new Set<JobColumn>(["body", "secret", "output", "error", "progress"]);

/** The columns that make a `Job`, and what steps decide by: all but the contents of payloads. */
export const JOB_COLUMNS = selectList((column) => !CONTENTS.has(column));

export const BODY_COLUMNS = selectList((column) => column === "body" || column === "secret");

export const RESULT_COLUMNS = selectList((column) => ["output", "error", "progress"].includes(column));

/** The job that a row tells of, with `change` made to it. */
export function jobOf(row: JobRow): Job {
  return {
    endpoint: row.endpoint,
    id: row.id,
    state: row.state,
    position: row.position,
    attempt: row.attempt,
    losses: row.losses,
    undelivered: row.undelivered,
    worker: row.worker ?? undefined,
    proved: row.proved,
    isSilent: row.state === "IN_PROGRESS" && row.lease_ends_at === null,
    denials: row.denials,
    queuedAt: row.queued_at,
    takenAt: row.taken_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    expiresAt: row.expires_at,
    executionTimeout: row.execution_timeout,
    retention: row.retention,
    dueAt: row.due_at,
  };
}

/** The job with its result. */
export function recordOf(row: JobRow): JobRecord {
  return {
    ...jobOf(row),
    output: payloadOf(row.output, row.output_ref),
    error: payloadOf(row.error, row.error_ref),
    progress: payloadOf(row.progress, row.progress_ref),
  };
}

/** What one waiting job more adds to the counters. */
export function queued(row: Pick<JobRow, "low_priority" | "bytes">) {
  return { queued: 1, queuedLowPriority: row.low_priority ? 1 : 0, queuedBytes: row.bytes };
}

/** What a job takes away that waits no more. */
export function notQueued(row: Pick<JobRow, "low_priority" | "bytes">) {
  return { queued: -1, queuedLowPriority: row.low_priority ? -1 : 0, queuedBytes: -row.bytes };
}

/** Who runs the job, or may still run it after its end. */
export function holderOf(row: Pick<JobRow, "holder">): string | undefined {
  return row.holder === null || row.holder === "" ? undefined : row.holder;
}

/** A double holds every integer that we store, and the driver gives it as a number. */
function selectList(has: (column: JobColumn) => boolean): string {
  return columnNames()
    .filter(has)
    .map((name) => (JOB_COLUMN_TYPES[name] === "bigint" ? `job.${name}::float8 AS ${name}` : `job.${name}`))
    .join(", ");
}

/** In the order of the table. */
export function columnNames(): readonly JobColumn[] {
  return COLUMN_NAMES;
}
