import type { SharedData } from "../store/store.ts";
import type { Engine } from "./engine.ts";
import { outlives, workerKey } from "./seen.ts";

/**
 * A worker that hung up at one server can have calls open at another one, or call it so soon that the call is
 * not written. So each server says of the workers that have hung up which of them it knows to live.
 */
export async function clearOutlivedHangUps(engine: Engine, shared: SharedData): Promise<void> {
  if (engine.lastCalls.size === 0 && engine.openCalls.size === 0) return;
  for (const { endpoint, worker: id, at } of await shared.hangUps()) {
    const key = workerKey({ endpoint, id });
    const calledAt = engine.lastCalls.get(key) ?? Number.NEGATIVE_INFINITY;
    if (engine.openCalls.has(key) || calledAt >= at) await outlives(engine, { endpoint, id });
  }
}
