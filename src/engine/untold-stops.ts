import type { WorkerIdentity } from "../domain/worker.ts";
import type { Engine } from "./engine.ts";
import type { SharedData } from "../store/store.ts";
import { STOP_KEYS, stopKey, waitingForStop } from "./wait-keys.ts";

/**
 * Ids of jobs that the worker must stop, without those that it was told of within the last hold: it asks
 * again at once after an answer with ids, and may take its time to stop. Those that are answered count as
 * told.
 */
export async function untoldStops(
  engine: Engine,
  { endpoint, id: worker }: WorkerIdentity,
): Promise<readonly string[]> {
  const key = stopKey(endpoint, worker);
  const ids = await engine.store.stopping(endpoint, worker);
  const untold = ids.filter((id) => isUntold(engine, key, id));
  const now = engine.clock.now();
  const told = engine.stopsTold.get(key);
  if (ids.length === 0) engine.stopsTold.delete(key);
  else
    engine.stopsTold.set(
      key,
      new Map(ids.map((id) => [id, untold.includes(id) ? now : (told?.get(id) ?? now)])),
    );
  return untold;
}

/**
 * Wakes the workers that wait here for a job to stop, and have one of which nobody has told them: another
 * server may have stopped it, and the word of that may be lost.
 */
export async function wakeForLostStops(engine: Engine, shared: SharedData): Promise<void> {
  const waiting = engine.waits.keys(STOP_KEYS).map(waitingForStop);
  if (waiting.length === 0) return;
  for (const { endpoint, worker, id } of await shared.stopping(waiting)) {
    const key = stopKey(endpoint, worker);
    if (isUntold(engine, key, id)) engine.waits.notify(key);
  }
}

function isUntold({ clock, durations, stopsTold }: Engine, key: string, id: string): boolean {
  const toldAt = stopsTold.get(key)?.get(id) ?? Number.NEGATIVE_INFINITY;
  return clock.now() - toldAt >= durations.stopHold;
}
