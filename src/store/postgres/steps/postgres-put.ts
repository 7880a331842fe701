import type { LoneStepRunner } from "../postgres-step.ts";

/** Changes are numbered in the order in which they are committed, so they are made one after the other. */
export const RECORD_LOCK = "SELECT pg_advisory_xact_lock(4070211002)";

const SELECT_VERSION = "SELECT version, body FROM forebay.record WHERE kind = $1 AND id = $2";

const SELECT_NAMESAKE = `
  SELECT id FROM forebay.record
  WHERE kind = $1 AND account = $2 AND name = $3 AND id <> $4 AND body IS NOT NULL`;

const SELECT_NEEDED = "SELECT id FROM forebay.record WHERE kind = $1 AND id = $2 AND body IS NOT NULL";

const WRITE = `
  INSERT INTO forebay.record (kind, id, account, name, version, change, body)
  VALUES ($1, $2, $3, $4, $5, (SELECT coalesce(max(change), 0) + 1 FROM forebay.record), $6)
  ON CONFLICT (kind, id) DO UPDATE SET account = excluded.account, name = excluded.name,
    version = excluded.version, change = excluded.change, body = excluded.body, removed_at = NULL`;

const CREATE_QUEUE = "INSERT INTO forebay.queue (endpoint) VALUES ($1) ON CONFLICT DO NOTHING";

export const postgresPut: LoneStepRunner<"put"> = async ({ record, needs }, _now, unit, connection) => {
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
  await connection.query(WRITE, [kind, id, account, name, version, body]);
  if (kind === "endpoint") await connection.query(CREATE_QUEUE, [id]);
  unit.signal("put", kind === "endpoint" ? id : "", id, undefined);
  return { outcome: "written" };
};
