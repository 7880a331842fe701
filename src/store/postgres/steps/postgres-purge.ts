import { type JobRow, notQueued } from "../postgres-job-row.ts";
import { removeJobs, type RemovedJob, REMOVED_COLUMNS } from "../postgres-remove-jobs.ts";
import type { LoneStepRunner } from "../postgres-step.ts";

/** Locks in the order of the keys, like every step; what was taken meanwhile is not removed. */
const REMOVE = `
  WITH oldest AS MATERIALIZED (
    SELECT id, position FROM forebay.job
    WHERE endpoint = $1 AND holder = '' AND position <= $2
    ORDER BY position LIMIT $3
  ), locked AS MATERIALIZED (
    SELECT job.id, oldest.position
    FROM oldest JOIN forebay.job ON job.endpoint = $1 AND job.id = oldest.id
    WHERE job.holder = ''
    ORDER BY job.id FOR UPDATE OF job
  )
  DELETE FROM forebay.job USING locked WHERE job.endpoint = $1 AND job.id = locked.id
  RETURNING ${REMOVED_COLUMNS}, job.low_priority, job.bytes::float8 AS bytes,
            locked.position::float8 AS position`;

type PurgedJob = RemovedJob & Pick<JobRow, "low_priority" | "bytes" | "position">;

export const postgresPurge: LoneStepRunner<"purge"> = async (step, _now, unit, connection) => {
  const { endpoint, position, limit } = step;
  const rows = await connection.query<PurgedJob>(REMOVE, [endpoint, position, limit]);
  rows.sort((a, b) => a.position - b.position);
  await removeJobs(connection, rows);
  for (const row of rows) unit.signal("purge", endpoint, row.id, undefined);
  for (const row of rows) unit.count(endpoint, notQueued(row));
  return { ids: rows.map((row) => row.id) };
};
