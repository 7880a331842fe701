import { BODY_START_BYTES, RECORD_BYTES } from "../../domain/history.ts";
import { MARK, HEAD_BYTES } from "../digested.ts";
import { errorText } from "../history-row.ts";
import type { JobName, KeptInputs } from "../history-steps.ts";
import { array, givenRows } from "./postgres-arrays.ts";
import type { Connection } from "./postgres-driver.ts";
import { JOB_NAMES } from "./postgres-job-row.ts";
import { fileOf, payloadOf } from "./postgres-payload-columns.ts";
import { dropPayloads } from "./postgres-remove-jobs.ts";

/** What stays of finished jobs (decision 0040), and how much it counts for together. */
export const HISTORY_SCHEMA = `
  -- a JSON array
  ALTER TABLE forebay.job ADD COLUMN tags text;

  CREATE TABLE forebay.history (
    -- in the order in which records were written
    number       bigint  GENERATED ALWAYS AS IDENTITY,
    endpoint     text COLLATE "C" NOT NULL,
    id           text COLLATE "C" NOT NULL,
    state        text COLLATE "C" NOT NULL,
    queued_at    bigint  NOT NULL,
    taken_at     bigint,
    ended_at     bigint  NOT NULL,
    worker       text COLLATE "C",
    attempt      integer NOT NULL,
    tags         text COLLATE "C",
    input_bytes  bigint  NOT NULL,
    output_bytes bigint  NOT NULL,
    -- the beginning of its text
    error        text COLLATE "C",
    body_start   bytea,
    -- what was submitted, if it is kept: a payload as in the table job
    input        bytea,
    input_ref    text COLLATE "C",
    -- bytes that the record counts for in the limit of the history
    size         bigint  NOT NULL,
    PRIMARY KEY (endpoint, id)
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
  CREATE INDEX history_number ON forebay.history (number);
  CREATE INDEX history_end ON forebay.history (endpoint, ended_at, id);
  CREATE INDEX history_failed ON forebay.history (endpoint, ended_at, id, state)
    WHERE state <> 'COMPLETED';
  ALTER TABLE forebay.history ALTER input SET STORAGE EXTERNAL;

  -- The sum of the sizes is that of some rows, so that servers seldom write the same one.
  CREATE TABLE forebay.history_size (
    slot       integer PRIMARY KEY,
    bytes      bigint  NOT NULL,
    -- the last end of a job whose record was trimmed: the highest of the rows
    trimmed_to bigint  NOT NULL DEFAULT 0
  ) WITH (fillfactor = 20);
`;

function withoutHead(column: string): string {
  const hasHead = `substring(${column} FROM 1 FOR ${MARK.length}) = '\\x${MARK.toHex()}'::bytea`;
  return `CASE WHEN ${hasHead} THEN substring(${column} FROM ${HEAD_BYTES + 1}) ELSE ${column} END`;
}

function sizeOf(name: string): string {
  const own = `octet_length(${withoutHead(name)})`;
  return `coalesce(split_part(${name}_ref, ' ', 2)::bigint, ${own}, 0)`;
}

/** Adds `sum`, a number, to the sum of the sizes. */
function addSize(sum: string, source: string): string {
  return `
    INSERT INTO forebay.history_size (slot, bytes)
    SELECT pg_backend_pid() % 16, ${sum} FROM ${source} HAVING count(*) > 0
    ON CONFLICT (slot) DO UPDATE SET bytes = history_size.bytes + excluded.bytes`;
}

const COPIED = "endpoint, id, state, queued_at, taken_at, ended_at, worker, attempt, tags";

/**
 * All but the errors, which are JSON. A job that is locked is changing: it is left to the next time. One that
 * is not locked keeps its state until the record is written, so that a retry removes it.
 */
const INSERT = `
  WITH kept AS MATERIALIZED (
    SELECT job.*, ${sizeOf("body")} AS input_bytes, ${sizeOf("output")} AS output_bytes,
      CASE WHEN endpoint <> ALL($4::text[])
           THEN substring(${withoutHead("body")} FROM 1 FOR ${BODY_START_BYTES}) END AS body_start,
      CASE WHEN endpoint = ANY($3::text[]) THEN true
           WHEN endpoint = ANY($4::text[]) THEN false
           ELSE state IN ('FAILED', 'TIMED_OUT') END AS is_kept
    FROM ${JOB_NAMES.source} AS given (given_endpoint, given_id), LATERAL (
      SELECT job.* FROM forebay.job
      WHERE job.endpoint = given_endpoint AND job.id = given_id
        AND job.ended_at > (SELECT coalesce(max(trimmed_to), 0) FROM forebay.history_size)
        AND EXISTS (SELECT 1 FROM forebay.queue WHERE queue.endpoint = given_endpoint)
      FOR SHARE OF job SKIP LOCKED
    ) AS job
  ), written AS (
    INSERT INTO forebay.history (${COPIED}, input_bytes, output_bytes, body_start, input, input_ref, size)
    SELECT ${COPIED}, input_bytes, output_bytes, body_start,
      CASE WHEN is_kept THEN body END, CASE WHEN is_kept THEN body_ref END,
      ${RECORD_BYTES} + coalesce(octet_length(tags), 0) + coalesce(octet_length(body_start), 0)
        + CASE WHEN is_kept THEN input_bytes ELSE 0 END
    FROM kept
    ON CONFLICT (endpoint, id) DO NOTHING
    RETURNING input_ref, size
  ), named AS (
    UPDATE forebay.payload SET names = payload.names + 1
    FROM written WHERE payload.file = split_part(written.input_ref, ' ', 1)::uuid
  ), sized AS (${addSize("sum(size)", "written")})
  SELECT (SELECT count(*)::integer FROM written) AS count, kept.endpoint, kept.id, kept.error, kept.error_ref
  FROM (VALUES (1)) AS always LEFT JOIN kept ON kept.error IS NOT NULL OR kept.error_ref IS NOT NULL`;

const ERRORS = givenRows({ endpoint: "text", id: "text", error: "text" });

const SET_ERRORS = `
  WITH changed AS (
    UPDATE forebay.history SET error = given.error, size = size + octet_length(given.error)
    FROM ${ERRORS.source} AS given (${ERRORS.names})
    WHERE history.endpoint = given.endpoint AND history.id = given.id AND history.error IS NULL
    RETURNING octet_length(history.error) AS bytes
  )
  ${addSize("sum(bytes)", "changed")}`;

/** A job with an error, and how many records were written. Without such a job one row has the count. */
interface WrittenRow {
  readonly count: number;
  readonly endpoint: string | null;
  readonly id: string | null;
  readonly error: Uint8Array | null;
  readonly error_ref: string | null;
}

/** Writes the records of those of the jobs that have ended and have none. Answers how many. */
export async function writeRecords(
  connection: Connection,
  jobs: readonly JobName[],
  { all, none }: KeptInputs,
): Promise<number> {
  const given = new Map(jobs.map((job) => [`${job.endpoint}\n${job.id}`, job]));
  const parameters = [...JOB_NAMES.arrays([...given.values()]), array(all), array(none)];
  const written = await connection.query<WrittenRow>(INSERT, parameters);
  const errors = written.flatMap(({ endpoint, id, error, error_ref }) => {
    const text = errorText(payloadOf(error, error_ref));
    return text === null || endpoint === null || id === null ? [] : [{ endpoint, id, error: text }];
  });
  if (errors.length > 0) await connection.query(SET_ERRORS, ERRORS.arrays(errors));
  return written[0]?.count ?? 0;
}

/** The records of jobs that run again. The jobs still name their inputs. Takes `JOB_NAMES`. */
export const REMOVE_PAST = `
  WITH gone AS (
    DELETE FROM forebay.history USING ${JOB_NAMES.source} AS given (${JOB_NAMES.names})
    WHERE history.endpoint = given.endpoint AND history.id = given.id
    RETURNING history.size, history.input_ref
  ), named AS (
    UPDATE forebay.payload SET names = payload.names - 1
    FROM gone WHERE payload.file = split_part(gone.input_ref, ' ', 1)::uuid
  )
  ${addSize("-sum(size)", "gone")}`;

/** What is known of a record whose row was removed. */
export interface GoneRecord {
  readonly size: number;
  readonly input_ref: string | null;
}

export const GONE_COLUMNS = "history.size::float8 AS size, history.input_ref";

const SUBTRACT_SIZE = addSize("-sum(size)", "(SELECT $1::bigint AS size) AS given");

/** To be called with the records whose rows were removed. */
export async function recordsGone(connection: Connection, gone: readonly GoneRecord[]): Promise<void> {
  if (gone.length === 0) return;
  const files = gone.flatMap(({ input_ref: ref }) => (ref === null ? [] : [fileOf(ref)]));
  await dropPayloads(connection, files);
  await connection.query(SUBTRACT_SIZE, [gone.reduce((sum, { size }) => sum + size, 0)]);
}
