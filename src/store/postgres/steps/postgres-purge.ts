import { TRANSITIONS } from "../../../domain/transitions.ts";
import { notQueued } from "../../job-columns.ts";
import type { JobRow } from "../postgres-job-row.ts";
import { removeJobs, type RemovedJob, REMOVED_COLUMNS } from "../postgres-remove-jobs.ts";
import type { LoneStepRunner } from "../postgres-step.ts";

const STATES = TRANSITIONS.purge.from.map((state) => `'${state}'`).join(", ");

/**
 * Locks in the order of the keys, like every step; a job that was taken meanwhile is not removed. LATERAL,
 * and an endpoint that comes with each row, hold the planner to one look at the primary key for each row: a
 * plan that was made for an empty queue would else read the whole queue for each row.
 */
const REMOVE = `
  WITH oldest AS MATERIALIZED (
    SELECT id FROM forebay.job
    WHERE endpoint = $1 AND holder = '' AND position <= $2
    ORDER BY position LIMIT $3
  ), locked AS MATERIALIZED (
    SELECT found.endpoint, found.id FROM (SELECT id FROM oldest ORDER BY id) AS asked, LATERAL (
      SELECT job.endpoint, job.id FROM forebay.job
      WHERE job.endpoint = $1 AND job.id = asked.id AND job.state IN (${STATES}) FOR UPDATE
    ) AS found
  )
  DELETE FROM forebay.job USING locked WHERE job.endpoint = locked.endpoint AND job.id = locked.id
  RETURNING ${REMOVED_COLUMNS}, job.low_priority, job.bytes::float8 AS bytes,
            job.position::float8 AS position`;

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
