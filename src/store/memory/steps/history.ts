import { keepsInput } from "../../../domain/history.ts";
import { isUnfinished } from "../../../domain/transitions.ts";
import { keptOf, recordSize } from "../../history-row.ts";
import { inputsOf, type KeptInputs } from "../../history-steps.ts";
import { keyOf } from "../../key-of.ts";
import { ALL, type MemoryDatabase, type MemoryPast } from "../memory-database.ts";
import type { MemoryJob } from "../memory-job.ts";
import { firstOf } from "../table.ts";
import type { MemoryStepRunner } from "../transaction.ts";

export const recordEnded: MemoryStepRunner<"recordEnded"> = ({ jobs, inputs }, _now, { database }) => {
  const found = jobs.map(({ endpoint, id }) => database.jobs.get(keyOf(endpoint, id)));
  const written = found.filter((job) => job !== undefined && recordJob(job, inputs, database));
  return { count: written.length };
};

export const trimHistory: MemoryStepRunner<"trimHistory"> = (step, _now, { database }) => {
  const { before, maxBytes, limit } = step;
  let left = sizeOf(database);
  const over = firstOf(database.pastByNumber.ascending(ALL), limit, (past) => {
    const isOver = past.ended_at < before || left > maxBytes;
    left -= past.size;
    return isOver;
  });
  for (const past of over) removePast(past, database);
  return { count: over.length, hasMore: over.length === limit || undefined };
};

export const clearHistory: MemoryStepRunner<"clearHistory"> = ({ endpoint, limit }, _now, { database }) => {
  const found = firstOf(database.pastByEnd.ascending(endpoint), limit);
  for (const past of found) removePast(past, database);
  return { count: found.length };
};

/** Writes the record of an ended job of an endpoint that is there; false if it has one already. */
export function recordJob(job: MemoryJob, inputs: KeptInputs, database: MemoryDatabase): boolean {
  const { endpoint, id, state, ended_at: endedAt, queued_at, taken_at, worker, attempt, tags } = job;
  const { past, pastByNumber, pastSize, payloads, counters } = database;
  if (isUnfinished(state) || endedAt === null || !counters.has(endpoint)) return false;
  if (past.get(keyOf(endpoint, id)) !== undefined) return false;
  const [newest] = pastByNumber.descending(ALL);
  const row = { endpoint, id, state, queued_at, taken_at, worker, attempt, tags, ...keptOf(job) };
  const input = keepsInput(inputsOf(inputs, endpoint), state) ? payloads.keep(job.body) : undefined;
  const size = recordSize(row, input);
  past.put({ ...row, ended_at: endedAt, number: (newest?.number ?? 0) + 1, size, input });
  pastSize.put(ALL, sizeOf(database) + size);
  return true;
}

export function removePast({ endpoint, id, size, input }: MemoryPast, database: MemoryDatabase): void {
  database.payloads.drop(input);
  database.past.remove(keyOf(endpoint, id));
  database.pastSize.put(ALL, sizeOf(database) - size);
}

function sizeOf({ pastSize }: MemoryDatabase): number {
  return pastSize.get(ALL) ?? 0;
}
