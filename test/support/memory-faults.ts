import { isDeepStrictEqual } from "node:util";
import { isStored } from "../../src/domain/payload.ts";
import type { MemoryDatabase } from "../../src/store/memory/memory-database.ts";
import { type MemoryJob, payloadsOf } from "../../src/store/memory/memory-job.ts";

/** What of the data in memory does not fit together: each line is a fault of the store or of a step. */
export function memoryFaults(database: MemoryDatabase): string[] {
  const jobs = [...database.jobs.all()];
  return [...jobs.flatMap(faultsOfJob), ...wrongCounters(database, jobs), ...wrongNames(database, jobs)];
}

function faultsOfJob({ endpoint, id, chunks, stored }: MemoryJob): string[] {
  if (stored.length === chunks) return [];
  return [`job ${id} of ${endpoint} counts ${chunks} chunks and has ${stored.length}`];
}

/** Counters that a count of the jobs does not give. */
function wrongCounters({ counters }: MemoryDatabase, jobs: readonly MemoryJob[]): string[] {
  return [...counters.all()].flatMap(([endpoint, counts]) => {
    const own = jobs.filter((job) => job.endpoint === endpoint);
    const waiting = own.filter(({ state }) => state === "IN_QUEUE");
    const counted = {
      queued: waiting.length,
      queuedLowPriority: waiting.filter((job) => job.low_priority).length,
      queuedBytes: waiting.reduce((sum, { bytes }) => sum + bytes, 0),
      running: own.filter(({ state }) => state === "IN_PROGRESS").length,
    };
    if (isDeepStrictEqual({ ...counts, ...counted }, { ...counts })) return [];
    return [`endpoint ${endpoint} counts ${JSON.stringify(counts)}, not ${JSON.stringify(counted)}`];
  });
}

/** Payloads that other rows name than are counted, or that rows name and that are gone. */
function wrongNames({ deliveries, past, payloads }: MemoryDatabase, jobs: readonly MemoryJob[]): string[] {
  const named = new Map<string, number>();
  const ofDeliveries = [...deliveries.all()].flatMap(({ output, error }) => [output, error]);
  const ofRecords = [...past.all()].map(({ input }) => input);
  for (const payload of [...jobs.flatMap(payloadsOf), ...ofDeliveries, ...ofRecords]) {
    if (payload === undefined || !isStored(payload)) continue;
    named.set(payload.file, (named.get(payload.file) ?? 0) + 1);
  }
  const kept = new Map(payloads.names());
  const files = [...new Set([...named.keys(), ...kept.keys()])];
  return files
    .filter((file) => (named.get(file) ?? 0) !== kept.get(file))
    .map((file) => `${named.get(file) ?? 0} rows name the payload ${file}, which counts ${kept.get(file)}`);
}
