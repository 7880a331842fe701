import type { ColdStart } from "../domain/attempt.ts";
import type { Signal } from "../store/store.ts";
import { type FleetNews, type ManagedWorker, tellFleet } from "./fleet-state.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import type { StoreAccess, WithLog } from "./verb-needs.ts";

/** How much the newest cold start counts in the average of an endpoint. */
const WEIGHT = 0.3;

/**
 * A worker has called, at `at`; nothing happens when it had before, or Forebay did not start it. How long it
 * took from the order to start it until its first call goes into the exponential average of its endpoint.
 */
export function noteCall(engine: FleetNews, worker: string, at: number): void {
  const { managed: workers, coldStarts } = engine.fleet;
  const managed = workers.get(worker);
  if (managed === undefined || managed.hasCalled) return;
  managed.hasCalled = true;
  managed.calledAt = at;
  managed.lastJobAt = Math.max(managed.lastJobAt, at);
  const { endpoint, orderedAt } = managed;
  if (orderedAt !== undefined) {
    const took = Math.max(0, at - orderedAt);
    const before = coldStarts.get(endpoint) ?? took;
    coldStarts.set(endpoint, before + WEIGHT * (took - before));
  }
  tellFleet(engine, endpoint);
}

/** What it takes to keep how long the start of a worker took. */
export type ColdStartNotes = StoreAccess & WithConfiguration & WithLog;

/**
 * A worker that Forebay started got a job: with its first one it is kept how long the start took, if the job
 * waited for that. This is written once for each worker, after the commit that handed the job out.
 */
export function noteFirstJob(
  engine: ColdStartNotes,
  worker: string,
  managed: ManagedWorker,
  signal: Signal,
): void {
  if (signal.event !== "take" || managed.hadJob === true) return;
  managed.hadJob = true;
  keepColdStart(engine, worker, managed, signal).catch((error: unknown) => {
    engine.log.warn("how long a worker took to start was not kept", { worker, reason: String(error) });
  });
}

async function keepColdStart(
  engine: ColdStartNotes,
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
function coldStartOf(
  { configuration }: WithConfiguration,
  worker: string,
  managed: ManagedWorker,
): ColdStart | undefined {
  const token = configuration.get("worker", worker);
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
