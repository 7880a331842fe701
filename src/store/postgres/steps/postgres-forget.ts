import { TRANSITIONS } from "../../../domain/transitions.ts";
import { ORPHAN_AGE, TOMBSTONE_RETENTION } from "../../forget-ages.ts";
import { removeJobs, type RemovedJob, REMOVED_COLUMNS } from "../postgres-remove-jobs.ts";
import type { LoneStepRunner } from "../postgres-step.ts";

const STATES = TRANSITIONS.forget.from.map((state) => `'${state}'`).join(", ");

/** Skips what another server forgets at the same time. */
const REMOVE = `
  WITH over AS MATERIALIZED (
    SELECT endpoint, id FROM forebay.job
    WHERE due_at <= $1 AND state IN (${STATES})
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  DELETE FROM forebay.job USING over WHERE job.endpoint = over.endpoint AND job.id = over.id
  RETURNING ${REMOVED_COLUMNS}`;

const REMOVE_KEYS = `
  DELETE FROM forebay.idempotency WHERE (endpoint, key) IN (
    SELECT endpoint, key FROM forebay.idempotency
    WHERE until <= $1 ORDER BY until LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING until`;

const REMOVE_CONTACTS = `
  DELETE FROM forebay.contact WHERE (endpoint, worker) IN (
    SELECT endpoint, worker FROM forebay.contact
    WHERE last_contact < $1
      AND NOT EXISTS (
        SELECT 1 FROM forebay.job WHERE job.endpoint = contact.endpoint AND job.holder = contact.worker
      )
    LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING worker`;

/**
 * The row of a removed record tells each server's copy of the configuration of its removal. The newest stays,
 * because change numbers go on from it.
 */
const REMOVE_TOMBSTONES = `
  DELETE FROM forebay.record
  WHERE removed_at < $1 AND change < (SELECT max(change) FROM forebay.record)`;

const REMOVE_ORPHANS = `
  DELETE FROM forebay.payload WHERE file IN (
    SELECT file FROM forebay.payload WHERE NOT named AND written_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING file`;

export const postgresForget: LoneStepRunner<"forget"> = async (step, now, _unit, connection) => {
  const { limit, contactsBefore } = step;
  const keys = await connection.query(REMOVE_KEYS, [now, limit]);
  const contacts = await connection.query(REMOVE_CONTACTS, [contactsBefore, limit]);
  await connection.query(REMOVE_TOMBSTONES, [now - TOMBSTONE_RETENTION]);
  const orphans = await connection.query(REMOVE_ORPHANS, [now - ORPHAN_AGE, limit]);
  const rows = await connection.query<RemovedJob>(REMOVE, [now, limit]);
  await removeJobs(connection, rows);
  const isFull = [keys, contacts, orphans, rows].some(({ length }) => length === limit);
  return { count: rows.length, hasMore: isFull || undefined };
};
