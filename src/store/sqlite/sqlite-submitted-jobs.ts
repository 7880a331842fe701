import { SYNC_PREFIX } from "../../domain/ids.ts";
import { placeOf } from "../../domain/job-places.ts";
import type { JobState } from "../../domain/transitions.ts";
import { jobOf } from "../job-columns.ts";
import type { Store } from "../store.ts";
import { type Database, prepare } from "./sqlite-driver.ts";
import { JOB_COLUMNS, jobRowOf, type StoredJob } from "./sqlite-job-row.ts";

/** Above every place, because those are hexadecimal. */
const TOP = "g";

/**
 * Jobs by the places of their ids. Those of each kind stand in the index of ids in this order, so two walks
 * along it are merged, and no index is written for it.
 */
export function sqliteSubmittedJobs(database: Database): Store["submitted"] {
  const selectPage = prepare<
    StoredJob,
    [endpoint: string, before: string, floor: string, limit: number, state: JobState | null]
  >(database, walks(JOB_COLUMNS, "AND (?5 IS NULL OR state = ?5)", "LIMIT ?4"));
  // Reads the index and no row.
  const selectFloor = prepare<
    { place: string },
    [endpoint: string, before: string, floor: string, looked: number]
  >(database, walks("id", "", "LIMIT 1 OFFSET ?4 - 1"));

  return async (endpoint, state, before = TOP, limit, looked) => {
    const floor = state === undefined ? undefined : selectFloor.get(endpoint, before, "", looked)?.place;
    // One more than `limit`, to see whether another one follows.
    const rows = selectPage.all(endpoint, before, floor ?? "", limit + 1, state ?? null);
    const jobs = rows.slice(0, limit).map((row) => jobOf(jobRowOf(row)));
    const last = jobs.at(-1);
    return { jobs, next: rows.length > limit && last !== undefined ? placeOf(last.id) : floor };
  };
}

/** From below the place ?2 down to ?3, at most ?4 of each kind, and of both together what `cut` leaves. */
function walks(columns: string, condition: string, cut: string): string {
  const runsyncPlace = `substr(id, ${SYNC_PREFIX.length + 1})`;
  return `
    SELECT * FROM (
      SELECT ${columns}, id AS place FROM job
      WHERE endpoint = ?1 AND id < ?2 AND id >= ?3 ${condition}
      ORDER BY id DESC LIMIT ?4)
    UNION ALL
    SELECT * FROM (
      SELECT ${columns}, ${runsyncPlace} AS place FROM job
      WHERE endpoint = ?1 AND id < '${SYNC_PREFIX}' || ?2 AND id >= '${SYNC_PREFIX}' || ?3 ${condition}
      ORDER BY id DESC LIMIT ?4)
    ORDER BY place DESC ${cut}`;
}
