import { type AttemptTexts, keptAttempt } from "../attempt-text.ts";
import type { Store } from "../store.ts";
import { prepare } from "./sqlite-driver.ts";
import { JOB_COLUMNS, recordOf, RESULT_COLUMNS, type ResultRow, type StoredJob } from "./sqlite-job-row.ts";
import type { Tables } from "./sqlite-tables.ts";

/** Reads everything that is known of one job. It runs between transactions, so it is one snapshot. */
export function sqliteReadTimeline({ database, payloads }: Tables): Pick<Store, "timeline"> {
  const selectJob = prepare<StoredJob & ResultRow, [endpoint: string, id: string]>(
    database,
    `SELECT ${JOB_COLUMNS}, ${RESULT_COLUMNS} FROM job WHERE endpoint = ?1 AND id = ?2`,
  );
  const selectAttempts = prepare<AttemptTexts, [seq: number]>(
    database,
    "SELECT number, ended, cold_start, output FROM attempt WHERE job = ?1 ORDER BY number",
  );
  // Reads only the index.
  const countAhead = prepare<{ ahead: number }, [endpoint: string, position: number, looked: number]>(
    database,
    `SELECT count(*) AS ahead FROM (
       SELECT 1 FROM job WHERE endpoint = ?1 AND holder = '' AND position < ?2 LIMIT ?3)`,
  );

  return {
    async timeline(endpoint, id, looked) {
      const row = selectJob.get(endpoint, id);
      if (row === null) return undefined;
      const { barred, barred_until: until } = row;
      return {
        job: recordOf(row, payloads),
        lowPriority: row.low_priority === 1,
        ttl: row.ttl,
        chunks: row.chunks,
        chunkBytes: row.chunk_bytes,
        hasWebhook: row.receiver !== null,
        barred: barred === null || until === null ? undefined : { worker: barred, until },
        attempts: selectAttempts.all(row.seq).map(keptAttempt),
        ahead: row.holder === "" ? (countAhead.get(endpoint, row.position, looked)?.ahead ?? 0) : 0,
      };
    },
  };
}
