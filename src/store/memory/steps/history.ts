import { lastEnd } from "../../history-row.ts";
import { keyOf } from "../../key-of.ts";
import { ALL } from "../memory-database.ts";
import { pastBytes, recordJob, removePast, trimmedTo } from "../past.ts";
import { firstOf } from "../table.ts";
import type { MemoryStepRunner } from "../transaction.ts";

/** Writes the records of the jobs that have ended and have none. */
export const recordEnded: MemoryStepRunner<"recordEnded"> = ({ jobs, inputs }, _now, { database }) => {
  const found = jobs.map(({ endpoint, id }) => database.jobs.get(keyOf(endpoint, id)));
  const written = found.filter((job) => job !== undefined && recordJob(job, inputs, database));
  return { count: written.length };
};

/** Removes the oldest records: those that are too old, or too many. */
export const trimHistory: MemoryStepRunner<"trimHistory"> = (step, _now, { database }) => {
  const { before, maxBytes, limit } = step;
  let left = pastBytes(database);
  const over = firstOf(database.pastByNumber.ascending(ALL), limit, (past) => {
    const isOver = past.ended_at < before || left > maxBytes;
    left -= past.size;
    return isOver;
  });
  for (const past of over) removePast(past, database);
  database.pastTrimmedTo.put(ALL, Math.max(trimmedTo(database), lastEnd(over)));
  return { count: over.length, hasMore: over.length === limit || undefined };
};

/** Removes records of one endpoint. */
export const clearHistory: MemoryStepRunner<"clearHistory"> = ({ endpoint, limit }, _now, { database }) => {
  const found = firstOf(database.pastByEnd.ascending(endpoint), limit);
  for (const past of found) removePast(past, database);
  return { count: found.length };
};
