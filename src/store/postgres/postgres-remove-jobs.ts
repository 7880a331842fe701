import type { JobState } from "../../domain/transitions.ts";
import { lastState } from "../enqueue-step.ts";
import { array, givenRows } from "./postgres-arrays.ts";
import { REMOVE_ATTEMPTS } from "./postgres-attempts.ts";
import type { Connection } from "./postgres-driver.ts";
import { JOB_NAMES } from "./postgres-job-row.ts";
import { fileOf } from "./postgres-payload-columns.ts";

/** The columns of a removed row that are needed to remove what belongs to the job. */
export interface RemovedJob {
  readonly endpoint: string;
  readonly id: string;
  readonly state: JobState;
  readonly keyed: boolean;
  readonly chunks: number;
  readonly attempt: number;
  readonly refs: readonly (string | null)[];
}

export const REMOVED_COLUMNS = `job.endpoint, job.id, job.state, job.keyed, job.chunks, job.attempt,
  ARRAY[job.body_ref, job.secret_ref, job.output_ref, job.error_ref, job.progress_ref] AS refs`;

/** Chunks of jobs, with the payloads that they name. Takes `JOB_NAMES`. */
export const REMOVE_CHUNKS = `
  WITH gone AS (
    DELETE FROM forebay.chunk USING ${JOB_NAMES.source} AS gone (${JOB_NAMES.names})
    WHERE chunk.endpoint = gone.endpoint AND chunk.job = gone.id
    RETURNING chunk.ref
  )
  DELETE FROM forebay.payload WHERE file IN (
    SELECT split_part(ref, ' ', 1)::uuid FROM gone WHERE ref IS NOT NULL
  )`;

/**
 * Counts one row less that names each payload, then removes the payloads that no row names. These are two
 * statements: another transaction can change the same row, and only the second one sees what it has done.
 */
export const DROP_PAYLOADS = [
  `UPDATE forebay.payload SET names = payload.names - given.names
   FROM (SELECT file, count(*) AS names FROM unnest($1::uuid[]) AS given (file) GROUP BY file) AS given
   WHERE payload.file = given.file`,
  "DELETE FROM forebay.payload WHERE file = ANY($1::uuid[]) AND names <= 0",
] as const;

const LAST_STATES = givenRows({ endpoint: "text", id: "text", state: "text" });

const KEEP_STATES = `
  UPDATE forebay.idempotency SET state = gone.state
  FROM ${LAST_STATES.source} AS gone (${LAST_STATES.names})
  WHERE idempotency.endpoint = gone.endpoint AND idempotency.id = gone.id AND idempotency.state IS NULL`;

/** Removes all that belongs to jobs whose rows are gone; of a key its last state is kept. */
export async function removeJobs(connection: Connection, rows: readonly RemovedJob[]): Promise<void> {
  const withChunks = rows.filter((row) => row.chunks > 0);
  const handedOut = rows.filter((row) => row.attempt > 0);
  const keyed = rows.filter((row) => row.keyed);
  const states = keyed.map(({ endpoint, id, state }) => ({ endpoint, id, state: lastState(state) }));
  const files = rows.flatMap((row) => row.refs.filter((ref) => ref !== null).map(fileOf));
  if (withChunks.length > 0) await connection.query(REMOVE_CHUNKS, JOB_NAMES.arrays(withChunks));
  if (handedOut.length > 0) await connection.query(REMOVE_ATTEMPTS, JOB_NAMES.arrays(handedOut));
  await dropPayloads(connection, files);
  if (keyed.length > 0) await connection.query(KEEP_STATES, LAST_STATES.arrays(states));
}

/** Rows that are gone no longer name these: once for each row. */
export async function dropPayloads(connection: Connection, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  for (const text of DROP_PAYLOADS) await connection.query(text, [array(files)]);
}
