import { keepsInput } from "../../domain/history.ts";
import { isUnfinished } from "../../domain/transitions.ts";
import { keptOf, recordSize } from "../history-row.ts";
import { inputsOf, type KeptInputs } from "../history-steps.ts";
import { keyOf } from "../key-of.ts";
import { ALL, type MemoryDatabase, type MemoryPast } from "./memory-database.ts";
import type { MemoryJob } from "./memory-job.ts";

/**
 * Writes the record of an ended job of an endpoint that is there; false if it has one already, or ended no
 * later than one whose record was trimmed.
 */
export function recordJob(job: MemoryJob, inputs: KeptInputs, database: MemoryDatabase): boolean {
  const { endpoint, id, state, ended_at: endedAt, queued_at, taken_at, worker, attempt, tags } = job;
  const { past, pastByNumber, pastSize, payloads, counters } = database;
  if (isUnfinished(state) || endedAt === null || !counters.has(endpoint)) return false;
  if (endedAt <= trimmedTo(database) || past.get(keyOf(endpoint, id)) !== undefined) return false;
  const [newest] = pastByNumber.descending(ALL);
  const which = inputsOf(inputs, endpoint);
  const row = { endpoint, id, state, queued_at, taken_at, worker, attempt, tags, ...keptOf(job, which) };
  const input = keepsInput(which, state) ? payloads.keep(job.body) : undefined;
  const size = recordSize(row, input);
  past.put({ ...row, ended_at: endedAt, number: (newest?.number ?? 0) + 1, size, input });
  pastSize.put(ALL, pastBytes(database) + size);
  return true;
}

export function removePast({ endpoint, id, size, input }: MemoryPast, database: MemoryDatabase): void {
  database.payloads.drop(input);
  database.past.remove(keyOf(endpoint, id));
  database.pastSize.put(ALL, pastBytes(database) - size);
}

/** The last end of a job whose record was trimmed, ms since 1970; 0 for none. */
export function trimmedTo({ pastTrimmedTo }: MemoryDatabase): number {
  return pastTrimmedTo.get(ALL) ?? 0;
}

/** Bytes that all records count for. */
export function pastBytes({ pastSize }: MemoryDatabase): number {
  return pastSize.get(ALL) ?? 0;
}
