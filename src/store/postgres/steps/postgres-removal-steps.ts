import { TRANSITIONS } from "../../../domain/transitions.ts";
import type { JobName } from "../../history-steps.ts";
import { notQueued } from "../../job-columns.ts";
import { ORPHAN_AGE } from "../../named-payloads.ts";
import { TOMBSTONE_RETENTION } from "../../record-steps.ts";
import type { Forget } from "../../steps.ts";
import type { Connection } from "../postgres-driver.ts";
import { writeRecords } from "../postgres-history.ts";
import { JOB_NAMES, type JobRow } from "../postgres-job-row.ts";
import { forgetPastWorkers } from "../postgres-past-workers.ts";
import { removeJobs, type RemovedJob, REMOVED_COLUMNS } from "../postgres-remove-jobs.ts";
import type { LoneStepRunner } from "../postgres-transaction.ts";

const PURGED_STATES = TRANSITIONS.purge.from.map((state) => `'${state}'`).join(", ");

/**
 * Locks in the order of the keys, like every step; a job that was taken meanwhile is not removed. LATERAL,
 * and an endpoint that comes with each row, hold the planner to one look at the primary key for each row: a
 * plan that was made for an empty queue would else read the whole queue for each row.
 */
const PURGE = `
  WITH oldest AS MATERIALIZED (
    SELECT id FROM forebay.job
    WHERE endpoint = $1 AND holder = '' AND position <= $2
    ORDER BY position LIMIT $3
  ), locked AS MATERIALIZED (
    SELECT found.endpoint, found.id FROM (SELECT id FROM oldest ORDER BY id) AS asked, LATERAL (
      SELECT job.endpoint, job.id FROM forebay.job
      WHERE job.endpoint = $1 AND job.id = asked.id AND job.state IN (${PURGED_STATES}) FOR UPDATE
    ) AS found
  )
  DELETE FROM forebay.job USING locked WHERE job.endpoint = locked.endpoint AND job.id = locked.id
  RETURNING ${REMOVED_COLUMNS}, job.low_priority, job.bytes::float8 AS bytes,
            job.position::float8 AS position`;

type PurgedJob = RemovedJob & Pick<JobRow, "low_priority" | "bytes" | "position">;

export const postgresPurge: LoneStepRunner<"purge"> = async (step, _now, transaction, connection) => {
  const { endpoint, position, limit } = step;
  const rows = await connection.query<PurgedJob>(PURGE, [endpoint, position, limit]);
  rows.sort((a, b) => a.position - b.position);
  await removeJobs(connection, rows);
  for (const row of rows) transaction.signal("purge", endpoint, row.id, undefined);
  for (const row of rows) transaction.count(endpoint, notQueued(row));
  return { ids: rows.map((row) => row.id) };
};

const FORGOTTEN_STATES = TRANSITIONS.forget.from.map((state) => `'${state}'`).join(", ");

/** Skips what another server forgets at the same time. */
const FORGET = `
  WITH over AS MATERIALIZED (
    SELECT endpoint, id FROM forebay.job
    WHERE due_at <= $1 AND state IN (${FORGOTTEN_STATES})
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  DELETE FROM forebay.job USING over WHERE job.endpoint = over.endpoint AND job.id = over.id
  RETURNING ${REMOVED_COLUMNS}`;

const LOCK_OVER = `
  SELECT endpoint, id, EXISTS (
    SELECT FROM forebay.history WHERE history.endpoint = job.endpoint AND history.id = job.id
  ) AS recorded
  FROM forebay.job
  WHERE due_at <= $1 AND state IN (${FORGOTTEN_STATES})
  ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED`;

/** Jobs that this transaction has locked. Takes `JOB_NAMES`. */
const FORGET_LOCKED = `
  DELETE FROM forebay.job USING ${JOB_NAMES.source} AS over (${JOB_NAMES.names})
  WHERE job.endpoint = over.endpoint AND job.id = over.id
  RETURNING ${REMOVED_COLUMNS}`;

/** Removes jobs whose retention is over, after their records were written if there is a history. */
async function forgetJobs(connection: Connection, { limit, history }: Forget, now: number) {
  if (history === undefined) return connection.query<RemovedJob>(FORGET, [now, limit]);
  const locked = await connection.query<JobName & { recorded: boolean }>(LOCK_OVER, [now, limit]);
  if (locked.length === 0) return [];
  const others = locked.filter(({ recorded }) => !recorded);
  if (others.length > 0) await writeRecords(connection, others, history);
  return connection.query<RemovedJob>(FORGET_LOCKED, JOB_NAMES.arrays(locked));
}

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
 * The row of a removed record tells the copies of the configuration that it was removed. The newest row
 * stays, because change numbers go on from it.
 */
const REMOVE_TOMBSTONES = `
  DELETE FROM forebay.record
  WHERE removed_at < $1 AND change < (SELECT max(change) FROM forebay.record)`;

const REMOVE_ORPHANS = `
  DELETE FROM forebay.payload WHERE file IN (
    SELECT file FROM forebay.payload WHERE NOT named AND written_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING file`;

export const postgresForget: LoneStepRunner<"forget"> = async (step, now, _transaction, connection) => {
  const { limit, contactsBefore, pastWorkersBefore } = step;
  const keys = await connection.query(REMOVE_KEYS, [now, limit]);
  const contacts = await connection.query(REMOVE_CONTACTS, [contactsBefore, limit]);
  const workers = await forgetPastWorkers(connection, pastWorkersBefore, limit);
  await connection.query(REMOVE_TOMBSTONES, [now - TOMBSTONE_RETENTION]);
  const orphans = await connection.query(REMOVE_ORPHANS, [now - ORPHAN_AGE, limit]);
  const rows = await forgetJobs(connection, step, now);
  await removeJobs(connection, rows);
  const isFull = [keys, contacts, orphans, rows].some(({ length }) => length === limit) || workers === limit;
  return { count: rows.length, hasMore: isFull || undefined };
};
