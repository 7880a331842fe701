import type { ColdStart } from "../domain/attempt.ts";
import type { Signal } from "../store/signals.ts";
import { type FleetNews, type ManagedWorker, notifyFleet } from "./fleet-state.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import type { StoreAccess, WithLog } from "./verb-needs.ts";

/** The weight of the newest cold start in the average of an endpoint. */
const WEIGHT = 0.3;

/**
 * Notes that a worker has called, at `at`. Its first call counts in the average cold start of its endpoint,
 * if Forebay started it.
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
  notifyFleet(engine, endpoint);
}

/** What storing the cold start of a worker needs. */
export type ColdStartNotes = StoreAccess & WithConfiguration & WithLog;

/**
 * Stores how long a worker took to start, with its first job, if that job waited for it. This happens once
 * per worker, after the commit that handed the job out.
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
  // The worker was there before the job.
  if (managed.calledAt !== undefined && job.queuedAt > managed.calledAt) return;
  const { attempt } = job;
  const step = { step: "noteColdStart", endpoint, id, attempt, coldStart } as const;
  await engine.store.apply([step], engine.clock.now());
}

/** Undefined if the time of the request is not known. */
function coldStartOf(
  { configuration }: WithConfiguration,
  worker: string,
  managed: ManagedWorker,
): ColdStart | undefined {
  const token = configuration.get("worker", worker);
  if (token?.startedAt === undefined) return undefined;
  const { startedAt: wantedAt } = token;
  // After a restart of the server, only the record has this.
  const pullMs = token.pullMs ?? managed.pullMs;
  const runsSince = token.runsSince ?? managed.runsSince;
  if (runsSince === undefined) return { wantedAt, pullMs };
  const bootMs = Math.max(0, runsSince - wantedAt - (pullMs ?? 0));
  const { calledAt } = managed;
  const firstPollMs = calledAt === undefined ? undefined : Math.max(0, calledAt - runsSince);
  return { wantedAt, pullMs, bootMs, firstPollMs };
}
