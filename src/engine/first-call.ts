import type { Engine } from "./engine.ts";
import { tellFleet } from "./tell-fleet.ts";

/** How much the newest cold start counts in the average of an endpoint. */
const WEIGHT = 0.3;

/**
 * A worker has called, at `at`; nothing happens when it had before, or Forebay did not start it. How long it
 * took from the order to start it until its first call goes into the exponential average of its endpoint.
 */
export function noteCall(engine: Engine, worker: string, at: number): void {
  const managed = engine.managed.get(worker);
  if (managed === undefined || managed.hasCalled) return;
  managed.hasCalled = true;
  managed.calledAt = at;
  managed.lastJobAt = Math.max(managed.lastJobAt, at);
  const { endpoint, orderedAt } = managed;
  if (orderedAt !== undefined) {
    const took = Math.max(0, at - orderedAt);
    const before = engine.coldStarts.get(endpoint) ?? took;
    engine.coldStarts.set(endpoint, before + WEIGHT * (took - before));
  }
  tellFleet(engine, endpoint);
}
