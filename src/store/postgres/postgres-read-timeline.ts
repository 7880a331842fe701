import { type AttemptTexts, keptAttempt } from "../attempt-text.ts";
import type { Store } from "../store.ts";
import type { Pool } from "./postgres-driver.ts";
import { orUnavailable } from "./postgres-failure.ts";
import { JOB_COLUMNS, type JobRow, recordOf, RESULT_COLUMNS } from "./postgres-job-row.ts";

/** One statement, so that it is one snapshot. The count reads the index and no row. */
const SELECT = `
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

/** The read of all that is known of one job. */
export function postgresReadTimeline(pool: Pool): Pick<Store, "timeline"> {
  return {
    async timeline(endpoint, id, looked) {
      const [row] = await orUnavailable(pool.query<TimelineRow>(SELECT, [endpoint, id, looked]));
      if (row === undefined) return undefined;
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
    },
  };
}

/** Only the statement above makes it. */
function textsIn(attempts: string | null): AttemptTexts[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return attempts === null ? [] : (JSON.parse(attempts) as AttemptTexts[]);
}
