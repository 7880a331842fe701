import type { WorkerIdentity } from "../domain/worker.ts";
import type { Engine } from "./engine.ts";
import { stopKey } from "./wait-keys.ts";

/**
 * Ids of jobs that the worker must stop, without those that it was told of within the last hold: it asks
 * again at once after an answer with ids, and may take its time to stop. Those that are answered count as
 * told.
 */
export async function untoldStops(
  engine: Engine,
  { endpoint, id: worker }: WorkerIdentity,
): Promise<readonly string[]> {
  const now = engine.clock.now();
  const key = stopKey(endpoint, worker);
  const ids = await engine.store.stopping(endpoint, worker);
  const told = engine.stopsTold.get(key);
  const untold = ids.filter(
    (id) => now - (told?.get(id) ?? Number.NEGATIVE_INFINITY) >= engine.durations.stopHold,
  );
  if (ids.length === 0) engine.stopsTold.delete(key);
  else
    engine.stopsTold.set(
      key,
      new Map(ids.map((id) => [id, untold.includes(id) ? now : (told?.get(id) ?? now)])),
    );
  return untold;
}
