import { isTerminal } from "../domain/transitions.ts";
import type { WorkerContact } from "../store/store.ts";
import type { Engine } from "./engine.ts";

/** A worker that lists a job for so long after its end has lost track of its jobs, ms. */
const STRAY_LIMIT = 60_000;

/** Why the worker is unhealthy, in one sentence; undefined when it is not. */
export async function problemOf(
  engine: Engine,
  endpoint: string,
  contact: WorkerContact,
): Promise<string | undefined> {
  const { clock, durations, store } = engine;
  const now = clock.now();
  const { pings, hasHungUp, lastContact, running, stray } = contact;
  // A silent worker makes no call while it runs a job.
  const mayBeQuiet = !pings && running > 0 && !hasHungUp;
  if (lastContact < now - durations.workerLease && !mayBeQuiet) {
    return hasHungUp
      ? "It closed its connections and has made no call but pings since: its main process has probably ended."
      : "It has not called within its lease.";
  }
  if (stray === undefined) return undefined;
  const job = await store.job(endpoint, stray.job);
  if (job !== undefined && !isTerminal(job.state)) return undefined;
  if (Math.max(stray.since, job?.endedAt ?? 0) > now - STRAY_LIMIT) return undefined;
  return (
    `Its pings have listed job ${stray.job} for more than 60 s after the job ended. Restart the worker; ` +
    "workers that share a working directory can read each other's list of jobs."
  );
}
