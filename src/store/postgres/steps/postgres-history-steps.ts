import { lastEnd } from "../../history-row.ts";
import { array } from "../postgres-arrays.ts";
import { GONE_COLUMNS, type GoneRecord, recordsGone, writeRecords } from "../postgres-history.ts";
import type { LoneStepRunner } from "../postgres-transaction.ts";

export const postgresRecordEnded: LoneStepRunner<"recordEnded"> = async (step, _now, _part, connection) => ({
  count: await writeRecords(connection, step.jobs, step.inputs),
});

const SELECT_SIZE = "SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM forebay.history_size";

const SELECT_FIRST = `
  SELECT number::float8 AS number, ended_at::float8 AS ended_at, size::float8 AS size
  FROM forebay.history ORDER BY history.number LIMIT $1`;

const REMOVE = `
  DELETE FROM forebay.history WHERE number = ANY($1::bigint[]) RETURNING ${GONE_COLUMNS}`;

const SET_TRIMMED = `
  INSERT INTO forebay.history_size (slot, bytes, trimmed_to) VALUES (pg_backend_pid() % 16, 0, $1)
  ON CONFLICT (slot)
  DO UPDATE SET trimmed_to = greatest(history_size.trimmed_to, excluded.trimmed_to)`;

interface FirstRow {
  readonly number: number;
  readonly ended_at: number;
  readonly size: number;
}

export const postgresTrimHistory: LoneStepRunner<"trimHistory"> = async (step, _now, _part, connection) => {
  const { before, maxBytes, limit } = step;
  const [total] = await connection.query<{ bytes: number }>(SELECT_SIZE);
  const rows = await connection.query<FirstRow>(SELECT_FIRST, [limit]);
  const over = oldest(rows, before, (total?.bytes ?? 0) - maxBytes);
  const gone = await connection.query<GoneRecord>(REMOVE, [array(over.map(({ number }) => number))]);
  await recordsGone(connection, gone);
  if (over.length > 0) await connection.query(SET_TRIMMED, [lastEnd(over)]);
  return { count: gone.length, hasMore: over.length === limit || undefined };
};

/** Those at the beginning that ended before a time, or that are needed to remove so many bytes. */
function oldest(rows: readonly FirstRow[], before: number, bytes: number): readonly FirstRow[] {
  let left = bytes;
  const kept = rows.findIndex(({ ended_at: endedAt, size }) => {
    const isKept = endedAt >= before && left <= 0;
    left -= size;
    return isKept;
  });
  return kept === -1 ? rows : rows.slice(0, kept);
}

const CLEAR = `
  DELETE FROM forebay.history WHERE endpoint = $1 AND id IN (
    SELECT id FROM forebay.history WHERE endpoint = $1 ORDER BY id LIMIT $2
  )
  RETURNING ${GONE_COLUMNS}`;

export const postgresClearHistory: LoneStepRunner<"clearHistory"> = async (step, _now, _part, connection) => {
  const gone = await connection.query<GoneRecord>(CLEAR, [step.endpoint, step.limit]);
  await recordsGone(connection, gone);
  return { count: gone.length };
};
