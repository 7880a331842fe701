import type { Engine } from "./engine.ts";

/**
 * A worker may need this many pings to show that it has stopped: those soon after the hand-out do not count,
 * and one may lag a beat (decision 0003).
 */
const PINGS_TO_SHOW = 3;

/**
 * Whether the worker still runs a job that was cancelled or timed out so long ago that it must have stopped
 * (design, row 6).
 */
export async function ignoresStop(engine: Engine, endpoint: string, worker: string): Promise<boolean> {
  const { drainGrace, pingInterval } = engine.durations;
  const before = engine.clock.now() - drainGrace - PINGS_TO_SHOW * pingInterval;
  for (const id of await engine.store.stopping(endpoint, worker)) {
    const job = await engine.store.job(endpoint, id);
    if (job?.endedAt !== undefined && job.endedAt < before) return true;
  }
  return false;
}
