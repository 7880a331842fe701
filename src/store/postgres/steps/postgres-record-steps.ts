import type { ConfigurationRecord } from "../../configuration-record.ts";
import { overRecordLimit, type RecordLimit, type RecordUse } from "../../record-steps.ts";
import { allocate, freeDevices } from "../postgres-allocations.ts";
import type { Connection } from "../postgres-driver.ts";
import { addPastWorker } from "../postgres-past-workers.ts";
import type { LoneStepRunner } from "../postgres-transaction.ts";

/** Changes are numbered in the order in which they are committed, so they are made one after the other. */
const RECORD_LOCK = "SELECT pg_advisory_xact_lock(4070211002)";

const SELECT_VERSION = "SELECT version, body FROM forebay.record WHERE kind = $1 AND id = $2";

const SELECT_NAMESAKE = `
  SELECT id FROM forebay.record
  WHERE kind = $1 AND account = $2 AND name = $3 AND id <> $4 AND body IS NOT NULL`;

const SELECT_NEEDED = "SELECT id FROM forebay.record WHERE kind = $1 AND id = $2 AND body IS NOT NULL";

/** Records with names are counted by the index of names. */
const COUNT_OTHERS = `
  SELECT count(*)::int AS records FROM forebay.record
  WHERE kind = $1 AND account = $2 AND id <> $3 AND body IS NOT NULL AND name IS NOT NULL`;

const COUNT_NAMELESS = `
  SELECT count(*)::int AS records FROM forebay.record
  WHERE kind = $1 AND account = $2 AND id <> $3 AND body IS NOT NULL`;

const MEASURE_OTHERS = `
  SELECT coalesce(sum(octet_length(body)), 0)::float8 AS bytes FROM forebay.record
  WHERE kind = $1 AND account = $2 AND id <> $3 AND body IS NOT NULL`;

const WRITE = `
  INSERT INTO forebay.record (kind, id, account, name, version, change, body)
  VALUES ($1, $2, $3, $4, $5, (SELECT coalesce(max(change), 0) + 1 FROM forebay.record), $6)
  ON CONFLICT (kind, id) DO UPDATE SET account = excluded.account, name = excluded.name,
    version = excluded.version, change = excluded.change, body = excluded.body, removed_at = NULL`;

const CREATE_QUEUE = "INSERT INTO forebay.queue (endpoint) VALUES ($1) ON CONFLICT DO NOTHING";

export const postgresPut: LoneStepRunner<"put"> = async (
  { record, needs, limit, allocation },
  _now,
  transaction,
  connection,
) => {
  const { kind, id, account, name, version, body } = record;
  await connection.query(RECORD_LOCK);
  const [present] = await connection.query<{ version: number; body: string | null }>(SELECT_VERSION, [
    kind,
    id,
  ]);
  const current = present === undefined || present.body === null ? 0 : present.version;
  if (version !== current + 1) return { outcome: "versionConflict" };
  if (name !== null) {
    const [namesake] = await connection.query(SELECT_NAMESAKE, [kind, account, name, id]);
    if (namesake !== undefined) return { outcome: "nameTaken" };
  }
  if (needs !== undefined) {
    const [needed] = await connection.query(SELECT_NEEDED, [needs.kind, needs.id]);
    if (needed === undefined) return { outcome: "needMissing" };
  }
  if (limit !== undefined) {
    const before = present?.body ?? undefined;
    const size = before === undefined ? undefined : Buffer.byteLength(before);
    const others = await othersOf(connection, record, limit);
    const over = overRecordLimit(limit, others, Buffer.byteLength(body), size);
    if (over !== undefined) return { outcome: over };
  }
  if (allocation !== undefined && !(await allocate(connection, id, allocation))) {
    return { outcome: "deviceTaken" };
  }
  await connection.query(WRITE, [kind, id, account, name, version, body]);
  if (kind === "endpoint") await connection.query(CREATE_QUEUE, [id]);
  transaction.signal("put", kind === "endpoint" ? id : "", id, undefined);
  return { outcome: "written" };
};

/** The lock on all changes of records keeps it so until the commit. */
async function othersOf(
  connection: Connection,
  { kind, account, id, name }: ConfigurationRecord,
  limit: RecordLimit,
): Promise<RecordUse> {
  const place = [kind, account, id];
  const counting = name === null ? COUNT_NAMELESS : COUNT_OTHERS;
  const [counted] = await connection.query<{ records: number }>(counting, place);
  const records = counted?.records ?? 0;
  if (limit.bytes === undefined) return { records, bytes: 0 };
  const [measured] = await connection.query<{ bytes: number }>(MEASURE_OTHERS, place);
  return { records, bytes: measured?.bytes ?? 0 };
}

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

export const postgresRemove: LoneStepRunner<"remove"> = async (step, now, transaction, connection) => {
  const { kind, id, unlessNamedBy: by, past } = step;
  await connection.query(RECORD_LOCK);
  if (kind === "endpoint" && (await hasUnfinished(connection, id))) return { outcome: "inUse" };
  if (by !== undefined) {
    const [naming] = await connection.query(SELECT_NAMING, [by.kind, by.member, id]);
    if (naming !== undefined) return { outcome: "inUse" };
  }
  const [removed] = await connection.query(UPDATE, [kind, id, now]);
  if (removed === undefined) return { outcome: "absent" };
  if (kind === "endpoint") await connection.query(REMOVE_QUEUE, [id]);
  if (kind === "worker") await freeDevices(connection, id);
  if (past !== undefined) await addPastWorker(connection, id, past, now);
  transaction.signal("remove", kind === "endpoint" ? id : "", id, undefined);
  return { outcome: "removed" };
};

async function hasUnfinished(connection: Connection, endpoint: string): Promise<boolean> {
  await connection.query(LOCK_QUEUE, [endpoint]);
  const [row] = await connection.query<{ unfinished: number }>(COUNT_UNFINISHED, [endpoint]);
  return row !== undefined && row.unfinished > 0;
}
