import type { Job } from "../../domain/job.ts";
import { jobOf } from "../job-columns.ts";
import type { Store } from "../store.ts";
import { type Database, prepare } from "./sqlite-driver.ts";
import {
  JOB_COLUMNS,
  jobRowOf,
  recordOf,
  RESULT_COLUMNS,
  type ResultRow,
  type StoredJob,
} from "./sqlite-job-row.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";
import { sqliteSubmittedJobs } from "./sqlite-submitted-jobs.ts";
import type { Tables } from "./sqlite-tables.ts";

/**
 * The reads of jobs. They run between transactions, never inside one, so they see every change that was
 * answered.
 */
export function sqliteReadJobs({ database, payloads }: Tables) {
  const select = statementsOf(database);

  return {
    async job(endpoint, id) {
      const row = select.job.get(endpoint, id);
      return row === null ? undefined : recordOf(row, payloads);
    },

    async body(endpoint, id) {
      const row = select.body.get(endpoint, id);
      return row === null ? undefined : payloads.load(row.body);
    },

    async due(now, limit) {
      return jobs(select.due.all(now, limit));
    },

    async silent(before, limit) {
      return select.silent
        .all(before, limit)
        .map((row) => ({ job: jobOf(jobRowOf(row)), hasHungUp: row.hung_up === 1 }));
    },

    async held(endpoint, worker) {
      return jobs(select.held.all(endpoint, worker));
    },

    async unfinished(endpoint, state, before, limit) {
      return jobs((state === "IN_QUEUE" ? select.waiting : select.running).all(endpoint, before, limit));
    },

    async waitingSince(endpoint, limit, looked) {
      return select.waitingSince.all(endpoint, limit, looked).map(({ queuedAt }) => queuedAt);
    },

    submitted: sqliteSubmittedJobs(database),

    async stopping(endpoint, worker) {
      return select.stopping.all(endpoint, worker).map((row) => row.id);
    },
  } satisfies Partial<Store>;
}

function jobs(rows: StoredJob[]): Job[] {
  return rows.map((row) => jobOf(jobRowOf(row)));
}

function statementsOf(database: Database) {
  const columns = JOB_COLUMNS.replaceAll(/\b(\w+)\b/g, "job.$1");
  const job = prepare<StoredJob & ResultRow, [endpoint: string, id: string]>(
    database,
    `SELECT ${JOB_COLUMNS}, ${RESULT_COLUMNS} FROM job WHERE endpoint = ?1 AND id = ?2`,
  );
  const body = prepare<{ body: PayloadColumn }, [endpoint: string, id: string]>(
    database,
    "SELECT body FROM job WHERE endpoint = ?1 AND id = ?2",
  );
  const due = prepare<StoredJob, [now: number, limit: number]>(
    database,
    `SELECT ${JOB_COLUMNS} FROM job WHERE due_at <= ?1 AND ended_at IS NULL ORDER BY due_at LIMIT ?2`,
  );
  // CROSS fixes the order: along the silent workers, and from each to the few jobs that it holds. Left to
  // choose, SQLite walks along all that wait, and does so at every sweep.
  const silent = prepare<StoredJob & { hung_up: number | null }, [before: number, limit: number]>(
    database,
    `SELECT ${columns}, contact.hung_up
     FROM contact CROSS JOIN job ON job.endpoint = contact.endpoint AND job.holder = contact.worker
     WHERE contact.last_contact < ?1 AND job.state = 'IN_PROGRESS'
       AND CASE WHEN contact.hung_up = 1 THEN job.taken_at <= contact.last_contact ELSE contact.pings = 1 END
     LIMIT ?2`,
  );
  const held = prepare<StoredJob, [endpoint: string, worker: string]>(
    database,
    `SELECT ${JOB_COLUMNS} FROM job WHERE endpoint = ?1 AND holder = ?2 AND state = 'IN_PROGRESS'`,
  );
  const waiting = prepare<StoredJob, [endpoint: string, before: number, limit: number]>(
    database,
    `SELECT ${JOB_COLUMNS} FROM job
     WHERE endpoint = ?1 AND holder = '' AND position < ?2
     ORDER BY position DESC LIMIT ?3`,
  );
  const waitingSince = prepare<{ queuedAt: number }, [endpoint: string, limit: number, looked: number]>(
    database,
    `SELECT queuedAt FROM (
       SELECT queued_at AS queuedAt, low_priority FROM job
       WHERE endpoint = ?1 AND holder = '' ORDER BY position LIMIT ?3)
     WHERE low_priority = 0 LIMIT ?2`,
  );
  // As many run as the workers hold, so these can be sorted.
  const running = prepare<StoredJob, [endpoint: string, before: number, limit: number]>(
    database,
    `SELECT ${JOB_COLUMNS} FROM job
     WHERE endpoint = ?1 AND holder > '' AND state = 'IN_PROGRESS' AND position < ?2
     ORDER BY position DESC LIMIT ?3`,
  );
  const stopping = prepare<{ id: string }, [endpoint: string, worker: string]>(
    database,
    "SELECT id FROM job WHERE endpoint = ?1 AND holder = ?2 AND ended_at IS NOT NULL",
  );
  return { job, body, due, silent, held, waiting, waitingSince, running, stopping };
}
