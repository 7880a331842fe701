import type { WorkerIdentity } from "../domain/worker.ts";
import type { Engine } from "./engine.ts";
import { isServed } from "./take-step.ts";
import { untoldStops } from "./untold-stops.ts";
import { stopKey } from "./wait-keys.ts";

/**
 * Ids of jobs that the worker still runs although they were cancelled or timed out. Waits up to `hold` ms for
 * one. There is no receipt for a stop, so an id comes again, after a pause, until the worker no longer shows
 * the job.
 */
export async function stops(
  engine: Engine,
  worker: WorkerIdentity,
  hold: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { clock, durations } = engine;
  const until = clock.now() + hold;
  const waiting = engine.waits.open(stopKey(worker.endpoint, worker.id));
  signal.addEventListener("abort", waiting.close);
  try {
    for (;;) {
      const ids = await untoldStops(engine, worker);
      // One that is told to end would wait for its open calls before it does.
      if (ids.length > 0 || !isServed(engine, worker)) return ids;
      const now = clock.now();
      // What was told before is told again after a pause.
      if (await waiting.next(Math.min(until, now + durations.stopHold))) continue;
      if (signal.aborted || clock.now() >= until || engine.isStopping) return [];
    }
  } finally {
    waiting.close();
  }
}

/**
 * Whether the worker has a job. Its stop call stays open then: a handler may keep the worker from making
 * another one, and only an open call shows that its process has ended (decision 0033).
 */
export async function isBusy(engine: Engine, worker: WorkerIdentity): Promise<boolean> {
  if (engine.isStopping || !isServed(engine, worker)) return false;
  return (await engine.store.held(worker.endpoint, worker.id)).length > 0;
}
