import type { WorkerIdentity } from "../domain/worker.ts";
import type { Engine } from "./engine.ts";
import { tellFleet } from "./tell-fleet.ts";

/**
 * The worker wants to be replaced by a fresh one, or a release replaces it. One that Forebay started gets no
 * more jobs, and the fleet ends it when it has none; any other has to see to it itself.
 */
export function askReplacement(engine: Engine, worker: Pick<WorkerIdentity, "endpoint" | "id">): void {
  if (!engine.managed.has(worker.id)) return;
  engine.toReplace.add(worker.id);
  engine.parkedTakes.release(worker.endpoint, worker.id);
  tellFleet(engine, worker.endpoint);
}
