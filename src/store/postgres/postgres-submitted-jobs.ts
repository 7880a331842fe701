import { SYNC_PREFIX } from "../../domain/ids.ts";
import { placeOf } from "../../domain/job-places.ts";
import type { Store } from "../store.ts";
import type { Pool } from "./postgres-driver.ts";
import { orUnavailable } from "./postgres-failure.ts";
import { jobOf } from "../job-columns.ts";
import { JOB_COLUMNS, type JobRow } from "./postgres-job-row.ts";

/** Above every place, because those are hexadecimal. */
const TOP = "g";

/** From below the place $2 down to $3, at most $4 of each kind, and of both together what `cut` leaves. */
function walks(columns: string, condition: string, cut: string): string {
  const runsyncPlace = `substr(id, ${SYNC_PREFIX.length + 1})`;
  return `
    SELECT * FROM (
      SELECT ${columns}, id AS place FROM forebay.job
      WHERE endpoint = $1 AND id < $2 AND id >= $3 ${condition}
      ORDER BY job.id DESC LIMIT $4) AS run
    UNION ALL
    SELECT * FROM (
      SELECT ${columns}, ${runsyncPlace} AS place FROM forebay.job
      WHERE endpoint = $1 AND id < '${SYNC_PREFIX}' || $2 AND id >= '${SYNC_PREFIX}' || $3 ${condition}
      ORDER BY job.id DESC LIMIT $4) AS runsync
    ORDER BY place DESC ${cut}`;
}

const SELECT_PAGE = walks(JOB_COLUMNS, "AND ($5::text IS NULL OR state = $5)", "LIMIT $4");

/** Reads the index and no row. */
const SELECT_FLOOR = walks("id", "", "LIMIT 1 OFFSET $4 - 1");

/**
 * Jobs by the places of their ids. Those of each kind stand in the index of ids in this order, so two walks
 * along it are merged, and no index is written for it.
 */
export function postgresSubmittedJobs(pool: Pool): Store["submitted"] {
  async function floorOf(endpoint: string, before: string, looked: number): Promise<string | undefined> {
    const rows = pool.query<{ place: string }>(SELECT_FLOOR, [endpoint, before, "", looked]);
    const [row] = await orUnavailable(rows);
    return row?.place;
  }

  return async (endpoint, state, before = TOP, limit, looked) => {
    const floor = state === undefined ? undefined : await floorOf(endpoint, before, looked);
    // One more than `limit`, to see whether another one follows.
    const parameters = [endpoint, before, floor ?? "", limit + 1, state ?? null];
    const rows = await orUnavailable(pool.query<JobRow>(SELECT_PAGE, parameters));
    const jobs = rows.slice(0, limit).map(jobOf);
    const last = jobs.at(-1);
    return { jobs, next: rows.length > limit && last !== undefined ? placeOf(last.id) : floor };
  };
}
