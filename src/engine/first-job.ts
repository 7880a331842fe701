import type { ColdStart } from "../domain/attempt.ts";
import type { Signal } from "../store/store.ts";
import type { Engine } from "./engine.ts";
import type { ManagedWorker } from "./managed-worker.ts";

/**
 * A worker that Forebay started got a job: with its first one it is kept how long the start took, if the job
 * waited for that. This is written once for each worker, after the commit that handed the job out.
 */
export function noteFirstJob(engine: Engine, worker: string, managed: ManagedWorker, signal: Signal): void {
  if (signal.event !== "take" || managed.hadJob === true) return;
  managed.hadJob = true;
  keepColdStart(engine, worker, managed, signal).catch((error: unknown) => {
    engine.log.warn("how long a worker took to start was not kept", { worker, reason: String(error) });
  });
}

async function keepColdStart(
  engine: Engine,
  worker: string,
  managed: ManagedWorker,
  { endpoint, id }: Signal,
): Promise<void> {
  const coldStart = coldStartOf(engine, worker, managed);
  if (coldStart === undefined) return;
  const job = await engine.store.job(endpoint, id);
  if (job?.worker !== worker) return;
  // It came to a worker that was there.
  if (managed.calledAt !== undefined && job.queuedAt > managed.calledAt) return;
  const { attempt } = job;
  const step = { step: "noteColdStart", endpoint, id, attempt, coldStart } as const;
  await engine.store.apply([step], engine.clock.now());
}

/** Undefined when it is not known since when it was wanted. */
function coldStartOf(engine: Engine, worker: string, managed: ManagedWorker): ColdStart | undefined {
  const token = engine.configuration.get("worker", worker);
  if (token?.startedAt === undefined) return undefined;
  const { startedAt: wantedAt } = token;
  // After a restart of the server only the record tells.
  const pullMs = token.pullMs ?? managed.pullMs;
  const runsSince = token.runsSince ?? managed.runsSince;
  if (runsSince === undefined) return { wantedAt, pullMs };
  const bootMs = Math.max(0, runsSince - wantedAt - (pullMs ?? 0));
  const { calledAt } = managed;
  const firstPollMs = calledAt === undefined ? undefined : Math.max(0, calledAt - runsSince);
  return { wantedAt, pullMs, bootMs, firstPollMs };
}
