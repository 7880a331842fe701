import { type AttemptTexts, keptAttempt } from "../attempt-text.ts";
import { jobOf } from "../job-columns.ts";
import type { Store, StoredTimeline } from "../store.ts";
import type { Parameter, Pool } from "./postgres-driver.ts";
import { orUnavailable } from "./postgres-failure.ts";
import { JOB_COLUMNS, type JobRow, recordOf, RESULT_COLUMNS } from "./postgres-job-row.ts";
import { payloadOf } from "./postgres-payload-columns.ts";
import { readTogether } from "./postgres-read-together.ts";
import { postgresSubmittedJobs } from "./postgres-submitted-jobs.ts";

const SELECT_BODY = "SELECT body, body_ref FROM forebay.job WHERE endpoint = $1 AND id = $2";

const SELECT_DUE = `
  SELECT ${JOB_COLUMNS} FROM forebay.job
  WHERE due_at <= $1 AND ended_at IS NULL ORDER BY due_at LIMIT $2`;

const SELECT_SILENT = `
  SELECT ${JOB_COLUMNS}, coalesce(contact.hung_up, false) AS hung_up
  FROM forebay.contact JOIN forebay.job ON job.endpoint = contact.endpoint AND job.holder = contact.worker
  WHERE contact.last_contact < $1 AND job.state = 'IN_PROGRESS'
    AND CASE WHEN contact.hung_up THEN job.taken_at <= contact.last_contact ELSE contact.pings END
  LIMIT $2`;

const SELECT_HELD = `
  SELECT ${JOB_COLUMNS} FROM forebay.job
  WHERE endpoint = $1 AND holder = $2 AND state = 'IN_PROGRESS'`;

const SELECT_WAITING = `
  SELECT ${JOB_COLUMNS} FROM forebay.job
  WHERE endpoint = $1 AND holder = '' AND position < $2
  ORDER BY position DESC LIMIT $3`;

const SELECT_WAITING_SINCE = `
  SELECT queued_at::float8 AS "queuedAt" FROM (
    SELECT queued_at, low_priority, position FROM forebay.job
    WHERE endpoint = $1 AND holder = '' ORDER BY position LIMIT $3) AS waiting
  WHERE NOT low_priority ORDER BY position LIMIT $2`;

// As many run as the workers hold, so these can be sorted.
const SELECT_RUNNING = `
  SELECT ${JOB_COLUMNS} FROM forebay.job
  WHERE endpoint = $1 AND holder > '' AND state = 'IN_PROGRESS' AND position < $2
  ORDER BY position DESC LIMIT $3`;

/** By an index of its own, in which almost no job ever stands: every call of a worker asks this. */
const SELECT_STOPPING = `
  SELECT id FROM forebay.job WHERE endpoint = $1 AND holder = $2 AND holder > '' AND ended_at IS NOT NULL`;

/** One statement, so that it is one snapshot. The count reads the index and no row. */
const SELECT_TIMELINE = `
  SELECT ${JOB_COLUMNS}, ${RESULT_COLUMNS},
    (SELECT json_agg(json_build_object('number', number, 'ended', attempt.ended,
                                       'cold_start', attempt.cold_start, 'output', attempt.output)
                     ORDER BY number)::text
     FROM forebay.attempt WHERE attempt.endpoint = job.endpoint AND attempt.job = job.id) AS attempts,
    CASE WHEN job.holder = '' THEN (
      SELECT count(*)::integer FROM (
        SELECT 1 FROM forebay.job AS other
        WHERE other.endpoint = $1 AND other.holder = '' AND other.position < job.position LIMIT $3
      ) AS before
    ) ELSE 0 END AS ahead
  FROM forebay.job WHERE job.endpoint = $1 AND job.id = $2`;

interface TimelineRow extends JobRow {
  readonly attempts: string | null;
  readonly ahead: number;
}

/** The reads of jobs, with connections of their own: they wait for no writer. */
export function postgresReadJobs(pool: Pool) {
  async function rows(text: string, parameters: readonly Parameter[]): Promise<JobRow[]> {
    return orUnavailable(pool.query<JobRow>(text, parameters));
  }

  const read = readTogether(pool);

  return {
    async job(endpoint, id) {
      const row = await orUnavailable(read(endpoint, id));
      return row && recordOf(row);
    },

    async body(endpoint, id) {
      const [row] = await rows(SELECT_BODY, [endpoint, id]);
      return row && payloadOf(row.body, row.body_ref);
    },

    async timeline(endpoint, id, looked) {
      const [row] = await orUnavailable(pool.query<TimelineRow>(SELECT_TIMELINE, [endpoint, id, looked]));
      return row && timelineOf(row);
    },

    async due(now, limit) {
      return (await rows(SELECT_DUE, [now, limit])).map(jobOf);
    },

    async silent(before, limit) {
      const found = await orUnavailable(
        pool.query<JobRow & { hung_up: boolean }>(SELECT_SILENT, [before, limit]),
      );
      return found.map((row) => ({ job: jobOf(row), hasHungUp: row.hung_up }));
    },

    async held(endpoint, worker) {
      return (await rows(SELECT_HELD, [endpoint, worker])).map(jobOf);
    },

    async unfinished(endpoint, state, before, limit) {
      const text = state === "IN_QUEUE" ? SELECT_WAITING : SELECT_RUNNING;
      return (await rows(text, [endpoint, before, limit])).map(jobOf);
    },

    async waitingSince(endpoint, limit, looked) {
      const found = await orUnavailable(
        pool.query<{ queuedAt: number }>(SELECT_WAITING_SINCE, [endpoint, limit, looked]),
      );
      return found.map(({ queuedAt }) => queuedAt);
    },

    submitted: postgresSubmittedJobs(pool),

    async stopping(endpoint, worker) {
      return (await rows(SELECT_STOPPING, [endpoint, worker])).map((row) => row.id);
    },
  } satisfies Partial<Store>;
}

function timelineOf(row: TimelineRow): StoredTimeline {
  const { barred, barred_until: until } = row;
  return {
    job: recordOf(row),
    lowPriority: row.low_priority,
    ttl: row.ttl,
    chunks: row.chunks,
    chunkBytes: row.chunk_bytes,
    hasWebhook: row.receiver !== null,
    barred: barred === null || until === null ? undefined : { worker: barred, until },
    attempts: textsIn(row.attempts).map(keptAttempt),
    ahead: row.ahead,
  };
}

/** `attempts` as `SELECT_TIMELINE` returns it. */
function textsIn(attempts: string | null): AttemptTexts[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return attempts === null ? [] : (JSON.parse(attempts) as AttemptTexts[]);
}
