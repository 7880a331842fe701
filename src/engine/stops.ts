import type { WorkerIdentity } from "../domain/worker.ts";
import { onAbort } from "../domain/on-abort.ts";
import type { Engine } from "./engine.ts";
import { BARE_CALL, seen } from "./seen.ts";
import { isServed } from "./take-step.ts";
import { untoldStops } from "./untold-stops.ts";
import { stopKey } from "./wait-keys.ts";

/**
 * Ids of jobs that the worker still runs although they were cancelled or timed out. Waits up to `hold` ms for
 * one, and longer where the call is the worker's only sign of life. There is no receipt for a stop, so an id
 * comes again, after a pause, until the worker no longer shows the job.
 */
export async function stops(
  engine: Engine,
  worker: WorkerIdentity,
  hold: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  await seen(engine, worker, BARE_CALL);
  let until = engine.clock.now() + hold;
  const waiting = engine.waits.open(stopKey(worker.endpoint, worker.id));
  onAbort(signal, waiting.close);
  try {
    for (;;) {
      const ids = await untoldStops(engine, worker);
      // One that is told to end would wait for its open calls before it does.
      if (ids.length > 0 || !isServed(engine, worker)) return ids;
      if (await waiting.next(until)) continue;
      if (signal.aborted || !(await livesByThisCall(engine, worker))) return [];
      until = engine.clock.now() + hold;
    }
  } finally {
    waiting.close();
  }
}

/**
 * A worker that never pings makes no call while its handler blocks it: that it lives shows only in the call
 * that was open before. So this call lasts as long as the worker has a job, and its lease as long as this
 * call.
 */
async function livesByThisCall(engine: Engine, worker: WorkerIdentity): Promise<boolean> {
  if (!worker.anyCallProves || engine.isStopping) return false;
  const held = await engine.store.held(worker.endpoint, worker.id);
  if (held.length === 0) return false;
  await seen(engine, worker, BARE_CALL);
  return true;
}
