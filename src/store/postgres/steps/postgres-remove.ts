import type { Connection } from "../postgres-driver.ts";
import type { LoneStepRunner } from "../postgres-step.ts";
import { RECORD_LOCK } from "./postgres-put.ts";

/** The row stays, without its body: other servers learn of the removal from its change number. */
const UPDATE = `
  UPDATE forebay.record
  SET body = NULL, removed_at = $3, change = (SELECT max(change) + 1 FROM forebay.record)
  WHERE kind = $1 AND id = $2 AND body IS NOT NULL
  RETURNING id`;

/** Nobody makes a counter of the endpoint from here on. */
const LOCK_QUEUE = "SELECT endpoint FROM forebay.queue WHERE endpoint = $1 FOR UPDATE";

/** Whoever submits a job has its counter locked: these are waited for. */
const COUNT_UNFINISHED = `
  WITH locked AS MATERIALIZED (
    SELECT queued, running FROM forebay.counter WHERE endpoint = $1 ORDER BY slot FOR UPDATE
  )
  SELECT coalesce(sum(queued + running), 0)::float8 AS unfinished FROM locked`;

const SELECT_NAMING = `
  SELECT id FROM forebay.record
  WHERE kind = $1 AND body IS NOT NULL AND body::json ->> $2 = $3 LIMIT 1`;

/** With its counters. */
const REMOVE_QUEUE = "DELETE FROM forebay.queue WHERE endpoint = $1";

export const postgresRemove: LoneStepRunner<"remove"> = async (step, now, unit, connection) => {
  const { kind, id, unlessNamedBy: by } = step;
  await connection.query(RECORD_LOCK);
  if (kind === "endpoint" && (await hasUnfinished(connection, id))) return { outcome: "inUse" };
  if (by !== undefined) {
    const [naming] = await connection.query(SELECT_NAMING, [by.kind, by.member, id]);
    if (naming !== undefined) return { outcome: "inUse" };
  }
  const [removed] = await connection.query(UPDATE, [kind, id, now]);
  if (removed === undefined) return { outcome: "absent" };
  if (kind === "endpoint") await connection.query(REMOVE_QUEUE, [id]);
  unit.signal("remove", kind === "endpoint" ? id : "", id, undefined);
  return { outcome: "removed" };
};

async function hasUnfinished(connection: Connection, endpoint: string): Promise<boolean> {
  await connection.query(LOCK_QUEUE, [endpoint]);
  const [row] = await connection.query<{ unfinished: number }>(COUNT_UNFINISHED, [endpoint]);
  return row !== undefined && row.unfinished > 0;
}
