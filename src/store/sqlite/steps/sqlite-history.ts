import { prepare } from "../sqlite-driver.ts";
import { type GoneRecord, sqliteRecordsGone, sqliteWriteRecords } from "../sqlite-history.ts";
import { lastEnd } from "../../history-row.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

interface NumberedRecord extends GoneRecord {
  readonly number: number;
  readonly ended_at: number;
}

/** The steps about the history. */
export function sqliteHistorySteps(tables: Tables) {
  return {
    recordEnded: recordEnded(tables),
    trimHistory: trimHistory(tables),
    clearHistory: clearHistory(tables),
  };
}

function recordEnded(tables: Tables): StepRunner<"recordEnded"> {
  const write = sqliteWriteRecords<string>(
    tables,
    `seq IN (
       SELECT job.seq FROM json_each(?3) AS given CROSS JOIN job
         ON job.endpoint = given.value ->> 0 AND job.id = given.value ->> 1)`,
  );

  return ({ jobs, inputs }) => ({
    count: write(inputs, JSON.stringify(jobs.map(({ endpoint, id }) => [endpoint, id]))),
  });
}

function trimHistory(tables: Tables): StepRunner<"trimHistory"> {
  const { database } = tables;
  const gone = sqliteRecordsGone(tables);
  const selectSize = prepare<{ bytes: number }, []>(database, "SELECT bytes FROM history_size");
  const selectFirst = prepare<NumberedRecord, [limit: number]>(
    database,
    `SELECT number, ended_at, size, iif(typeof(input) = 'blob', NULL, input) AS input
     FROM history WHERE number > 0 ORDER BY number LIMIT cast(?1 AS INTEGER)`,
  );
  const setTrimmed = prepare<never, [to: number]>(
    database,
    "UPDATE history_size SET trimmed_to = max(trimmed_to, ?1)",
  );
  const removeUpTo = prepare<never, [number: number]>(database, "DELETE FROM history WHERE number <= ?1");

  return ({ before, maxBytes, limit }) => {
    let left = selectSize.get()?.bytes ?? 0;
    const rows = selectFirst.all(limit);
    const firstKept = rows.findIndex(({ ended_at: endedAt, size }) => {
      const isKept = endedAt >= before && left <= maxBytes;
      left -= size;
      return isKept;
    });
    const over = firstKept === -1 ? rows : rows.slice(0, firstKept);
    removeUpTo.run(over.at(-1)?.number ?? 0);
    gone(over);
    if (over.length > 0) setTrimmed.run(lastEnd(over));
    return { count: over.length, hasMore: over.length === limit || undefined };
  };
}

function clearHistory(tables: Tables): StepRunner<"clearHistory"> {
  const gone = sqliteRecordsGone(tables);
  const remove = prepare<GoneRecord, [endpoint: string, limit: number]>(
    tables.database,
    `DELETE FROM history WHERE number IN (
       SELECT number FROM history WHERE endpoint = ?1 ORDER BY id LIMIT cast(?2 AS INTEGER))
     RETURNING size, iif(typeof(input) = 'blob', NULL, input) AS input`,
  );

  return ({ endpoint, limit }) => {
    const rows = remove.all(endpoint, limit);
    gone(rows);
    return { count: rows.length };
  };
}
