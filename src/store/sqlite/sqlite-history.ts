import { BODY_START_BYTES, RECORD_BYTES } from "../../domain/history.ts";
import { HEAD_BYTES, MARK } from "../digested.ts";
import { errorText } from "../history-row.ts";
import type { JobName, KeptInputs } from "../history-steps.ts";
import { prepare } from "./sqlite-driver.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";

/** What stays of finished jobs (decision 0040), and how much it counts for together. */
export const HISTORY_TABLES = `
  -- a JSON array
  ALTER TABLE job ADD COLUMN tags TEXT;

  CREATE TABLE history (
    -- in the order in which records were written
    number       INTEGER PRIMARY KEY,
    endpoint     TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    queued_at    INTEGER NOT NULL,
    taken_at     INTEGER,
    ended_at     INTEGER NOT NULL,
    worker       TEXT,
    attempt      INTEGER NOT NULL,
    tags         TEXT,
    input_bytes  INTEGER NOT NULL,
    output_bytes INTEGER NOT NULL,
    -- the beginning of its text
    error        TEXT,
    body_start   BLOB,
    -- what was submitted, if it is kept: a payload as in the table job
    input        ANY,
    -- bytes that the record counts for in the limit of the history
    size         INTEGER NOT NULL,
    UNIQUE (endpoint, id)
  ) STRICT;
  -- The columns behind the id are those of filters: a record that does not match is not read.
  CREATE INDEX history_end ON history (endpoint, ended_at, id, state, taken_at, worker, tags);
  CREATE INDEX history_failed ON history (endpoint, ended_at, id, state) WHERE state <> 'COMPLETED';

  -- one row: the sum of the sizes, and the last end of a job whose record was trimmed
  CREATE TABLE history_size (bytes INTEGER NOT NULL, trimmed_to INTEGER NOT NULL) STRICT;
  INSERT INTO history_size VALUES (0, 0);
`;

/** SQL: the bytes of the payload in a column; NULL if they are in a file. */
function bytesIn(column: string): string {
  const row = `(SELECT ${withoutHead("bytes")} FROM payload WHERE ref = ${column})`;
  return `iif(typeof(${column}) = 'integer', ${row}, ${withoutHead(column)})`;
}

/** SQL: the size of the payload in a column; 0 for none. */
function sizeIn(column: string): string {
  const row = `(SELECT size FROM payload WHERE ref = ${column})`;
  const own = `length(${column}) - iif(${hasHead(column)}, ${HEAD_BYTES}, 0)`;
  return `coalesce(iif(typeof(${column}) = 'integer', ${row}, ${own}), 0)`;
}

function hasHead(bytes: string): string {
  return `substr(${bytes}, 1, ${MARK.length}) = x'${MARK.toHex()}'`;
}

function withoutHead(bytes: string): string {
  return `iif(${hasHead(bytes)}, substr(${bytes}, ${HEAD_BYTES + 1}), ${bytes})`;
}

const IS_NONE = "endpoint IN (SELECT value FROM json_each(?2))";

const IS_KEPT = `CASE WHEN endpoint IN (SELECT value FROM json_each(?1)) THEN 1
  WHEN ${IS_NONE} THEN 0
  ELSE state IN ('FAILED', 'TIMED_OUT') END`;

/** All but the error, which is JSON. */
const INSERT = `
  INSERT INTO history (endpoint, id, state, queued_at, taken_at, ended_at, worker, attempt, tags, input_bytes,
    output_bytes, body_start, input, size)
  SELECT endpoint, id, state, queued_at, taken_at, ended_at, worker, attempt, tags, input_bytes,
    ${sizeIn("output")}, body_start, iif(is_kept, body, NULL),
    ${RECORD_BYTES} + coalesce(octet_length(tags), 0) + coalesce(length(body_start), 0)
      + iif(is_kept, input_bytes, 0)
  FROM (
    SELECT *, ${sizeIn("body")} AS input_bytes, ${IS_KEPT} AS is_kept,
      iif(${IS_NONE}, NULL, substr(${bytesIn("body")}, 1, ${BODY_START_BYTES})) AS body_start
    FROM job
    WHERE ended_at > (SELECT trimmed_to FROM history_size)`;

const HAS_ENDPOINT = "EXISTS (SELECT 1 FROM counter WHERE counter.endpoint = job.endpoint)";

/** SQL: a condition on rows of the table job, for jobs most of which have a record: it is cheaper to look. */
export const HAS_NO_RECORD =
  "NOT EXISTS (SELECT 1 FROM history WHERE history.endpoint = job.endpoint AND history.id = job.id)";

/** Writes the records of those jobs that have ended and have none, and answers how many. */
export type WriteRecords<Given extends string | number> = (inputs: KeptInputs, ...given: Given[]) => number;

/** `which`: a condition on rows of the table job, with parameters from ?3 on. */
export function sqliteWriteRecords<Given extends string | number>(
  { database, payloads }: Tables,
  which: string,
): WriteRecords<Given> {
  const selectLast = prepare<{ number: number | null }, []>(
    database,
    "SELECT max(number) AS number FROM history",
  );
  const insert = prepare<never, [all: string, none: string, ...Given[]]>(
    database,
    `${INSERT} AND ${which} AND ${HAS_ENDPOINT}) WHERE true ON CONFLICT (endpoint, id) DO NOTHING`,
  );
  const share = prepare<never, [last: number]>(
    database,
    `UPDATE payload SET names = names + 1
     WHERE ref IN (SELECT input FROM history WHERE number > ?1 AND typeof(input) = 'integer')`,
  );
  const selectErrors = prepare<{ number: number; error: PayloadColumn }, [last: number]>(
    database,
    // Only these can have one: of the others the job is not looked for.
    `SELECT number, job.error FROM history CROSS JOIN job USING (endpoint, id)
     WHERE number > ?1 AND history.state <> 'COMPLETED' AND job.error IS NOT NULL`,
  );
  const setError = prepare<never, [number: number, error: string]>(
    database,
    "UPDATE history SET error = ?2, size = size + octet_length(?2) WHERE number = ?1",
  );
  const addSize = prepare<never, [last: number]>(
    database,
    "UPDATE history_size SET bytes = bytes + (SELECT sum(size) FROM history WHERE number > ?1)",
  );

  return ({ all, none }, ...given) => {
    const last = selectLast.get()?.number ?? 0;
    const count = insert.run(JSON.stringify(all), JSON.stringify(none), ...given).changes;
    if (count === 0) return 0;
    share.run(last);
    for (const { number, error } of selectErrors.all(last)) {
      const text = errorText(payloads.load(error));
      if (text !== null) setError.run(number, text);
    }
    addSize.run(last);
    return count;
  };
}

/** What is known of a record that goes. */
export interface GoneRecord {
  readonly size: number;
  readonly input: PayloadColumn | null;
}

/** To be called with the records whose rows were removed. */
export function sqliteRecordsGone({ database, payloads }: Tables): (gone: readonly GoneRecord[]) => void {
  const subtract = prepare<never, [size: number]>(database, "UPDATE history_size SET bytes = bytes - ?1");

  return (gone) => {
    if (gone.length === 0) return;
    for (const { input } of gone) payloads.drop(input);
    subtract.run(gone.reduce((sum, { size }) => sum + size, 0));
  };
}

/** Removes the record of a job that runs again, if it has one. */
export function sqliteRemovePast(tables: Tables): (job: JobName) => void {
  const gone = sqliteRecordsGone(tables);
  const remove = prepare<GoneRecord, [endpoint: string, id: string]>(
    tables.database,
    "DELETE FROM history WHERE endpoint = ?1 AND id = ?2 RETURNING size, input",
  );

  return ({ endpoint, id }) => gone(remove.all(endpoint, id));
}
