import { prepare } from "../sqlite-driver.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";
import { sqliteRemoveJob } from "../sqlite-remove-job.ts";

interface WaitingRow {
  readonly seq: number;
  readonly id: string;
  readonly beside: number;
  readonly low_priority: number;
  readonly bytes: number;
}

export function sqlitePurge(tables: Tables): StepRunner<"purge"> {
  const { database, counters, signal } = tables;
  const remove = sqliteRemoveJob(tables);
  const select = prepare<WaitingRow, [endpoint: string, position: number, limit: number]>(
    database,
    `SELECT seq, id, beside, low_priority, bytes
     FROM job WHERE endpoint = cast(?1 AS TEXT) AND holder = '' AND position <= ?2
     ORDER BY position LIMIT ?3`,
  );

  return ({ endpoint, position, limit }) => {
    const rows = select.all(endpoint, position, limit);
    for (const row of rows) {
      remove(row);
      signal("purge", endpoint, row.id, undefined);
    }
    const lowPriority = rows.reduce((sum, row) => sum + row.low_priority, 0);
    const size = rows.reduce((sum, row) => sum + row.bytes, 0);
    counters.add(endpoint, { queued: -rows.length, queuedLowPriority: -lowPriority, queuedBytes: -size });
    return { ids: rows.map((row) => row.id) };
  };
}
