import type { WorkerIdentity } from "../domain/worker.ts";
import { onAbort } from "../domain/on-abort.ts";
import type { SharedData } from "../store/store.ts";
import { isServed, type WorkerService } from "./worker-service.ts";
import type { StoreAccess, WithDurations, WithWaits } from "./verb-needs.ts";
import { STOP_KEYS, stopKey, waitingForStop } from "./wait-keys.ts";

export interface ToldStops {
  /** When each job to stop was last sent to its worker, by the key of the worker's wait. */
  readonly stopsTold: Map<string, Map<string, number>>;
}

/** What finding the jobs that a worker must stop needs. */
export interface Stops extends StoreAccess, WithDurations, WithWaits, ToldStops {}

/**
 * Ids of jobs that the worker still runs although they were cancelled or timed out. Waits up to `hold` ms for
 * one. There is no receipt for a stop, so an id comes again, after a pause, until the worker no longer shows
 * the job.
 */
export async function stops(
  engine: Stops & WorkerService,
  worker: WorkerIdentity,
  hold: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { clock, durations } = engine;
  const until = clock.now() + hold;
  const key = stopKey(worker.endpoint, worker.id);
  const waiting = engine.waits.open(key);
  onAbort(signal, waiting.close);
  try {
    for (;;) {
      const ids = await untoldStops(engine, worker);
      // A worker that is asked to end would otherwise wait for its open calls first.
      if (ids.length > 0 || !isServed(engine, worker)) return ids;
      // The same stop is sent again after a pause. A notification of another server can be lost.
      const looksAgain = engine.stopsTold.has(key) || engine.store.shared !== undefined;
      const pause = looksAgain ? durations.stopHold : Infinity;
      if (await waiting.next(Math.min(until, clock.now() + pause))) continue;
      if (signal.aborted || clock.now() >= until || engine.isStopping) return [];
    }
  } finally {
    waiting.close();
  }
}

/**
 * Whether the worker has a job. Then its stop call stays open: a handler can prevent the worker from making
 * another call, and only an open call shows that its process has ended (decision 0033).
 */
export async function isBusy(engine: StoreAccess & WorkerService, worker: WorkerIdentity): Promise<boolean> {
  if (engine.isStopping || !isServed(engine, worker)) return false;
  return (await engine.store.held(worker.endpoint, worker.id)).length > 0;
}

/**
 * Ids of jobs that the worker must stop, without those that were sent to it within the last hold: after an
 * answer with ids it asks again at once, and it may need time to stop. Answered ids count as sent.
 */
export async function untoldStops(
  engine: Stops,
  { endpoint, id: worker }: WorkerIdentity,
): Promise<readonly string[]> {
  const key = stopKey(endpoint, worker);
  const ids = await engine.store.stopping(endpoint, worker);
  if (ids.length === 0) {
    engine.stopsTold.delete(key);
    return ids;
  }
  const untold = ids.filter((id) => isUntold(engine, key, id));
  const now = engine.clock.now();
  const told = engine.stopsTold.get(key);
  engine.stopsTold.set(
    key,
    new Map(ids.map((id) => [id, untold.includes(id) ? now : (told?.get(id) ?? now)])),
  );
  return untold;
}

/**
 * Wakes the workers that wait here for a stop and have one that was not sent to them: another server may have
 * requested it, and its notification may be lost.
 */
export async function wakeForLostStops(engine: Stops, shared: SharedData): Promise<void> {
  const waiting = engine.waits.keys(STOP_KEYS).map(waitingForStop);
  if (waiting.length === 0) return;
  for (const { endpoint, worker, id } of await shared.stopping(waiting)) {
    const key = stopKey(endpoint, worker);
    if (isUntold(engine, key, id)) engine.waits.notify(key);
  }
}

function isUntold({ clock, durations, stopsTold }: Stops, key: string, id: string): boolean {
  const toldAt = stopsTold.get(key)?.get(id) ?? Number.NEGATIVE_INFINITY;
  return clock.now() - toldAt >= durations.stopHold;
}

/**
 * How many pings a worker may need to show that it has stopped. Pings soon after the hand-out do not count,
 * and one may be late (decision 0003).
 */
const PINGS_TO_SHOW = 3;

/**
 * Whether the worker still runs a job that was cancelled or timed out so long ago that the worker ignores the
 * stop (design, row 6).
 */
export async function ignoresStop(
  engine: StoreAccess & WithDurations,
  endpoint: string,
  worker: string,
): Promise<boolean> {
  const { drainGrace, pingInterval } = engine.durations;
  const before = engine.clock.now() - drainGrace - PINGS_TO_SHOW * pingInterval;
  for (const id of await engine.store.stopping(endpoint, worker)) {
    const job = await engine.store.job(endpoint, id);
    if (job?.endedAt !== undefined && job.endedAt < before) return true;
  }
  return false;
}
