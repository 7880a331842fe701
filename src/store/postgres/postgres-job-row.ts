import type { JobRecord, JobResult } from "../../domain/job.ts";
import { jobOf, type NewJob } from "../job-columns.ts";
import { type ElementType, givenRows } from "./postgres-arrays.ts";
import { type PayloadColumns, payloadOf } from "./postgres-payload-columns.ts";

/** A job as its row has it. Columns that the statement did not select are undefined. */
export interface JobRow extends NewJob {
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

/** A row as it will be, and as it was read; undefined: it is new. */
export interface TrackedJob {
  row: JobRow;
  readonly before: JobRow | undefined;
  /** Where the row was not locked: it may be written only if it is still that of this transaction. */
  readonly version: string | undefined;
}

/** A row from the cache, and the transaction that wrote it; contents of payloads left out. */
export interface CachedRow {
  readonly row: JobRow;
  /** As long as `xmin` of the row says so, nobody else has written it. */
  readonly version: string;
}

/** Names of jobs, as a statement is given them. */
export const JOB_NAMES = givenRows({ endpoint: "text", id: "text" });

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
  tags: "text",
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

/** The row of a job that is new. */
export function newRow(job: NewJob, body: PayloadColumns, secret: PayloadColumns): JobRow {
  return {
    ...job,
    body: body.content,
    body_ref: body.ref,
    secret: secret.content,
    secret_ref: secret.ref,
    output_ref: null,
    error_ref: null,
    progress_ref: null,
  };
}

export function resultOf(row: JobRow): JobResult {
  return {
    output: payloadOf(row.output, row.output_ref),
    error: payloadOf(row.error, row.error_ref),
    progress: payloadOf(row.progress, row.progress_ref),
  };
}

/** The job with its result. */
export function recordOf(row: JobRow): JobRecord {
  return { ...jobOf(row), ...resultOf(row) };
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
