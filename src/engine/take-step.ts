import type { WorkerIdentity } from "../domain/worker.ts";
import type { Take } from "../store/steps.ts";
import type { Engine } from "./engine.ts";
import { isPaused } from "./is-paused.ts";
import { isSilent } from "./seen.ts";

/** The step that hands up to `count` jobs to a worker. */
export function takeStep(engine: Engine, endpoint: string, worker: string, count: number): Take {
  const deliveryLease = isSilent(engine, endpoint, worker) ? undefined : engine.durations.deliveryLease;
  return { step: "take", endpoint, worker, count, deliveryLease };
}

/** Whether it is worth asking the store for jobs for this worker. */
export function canTake(engine: Engine, worker: WorkerIdentity, count: number): boolean {
  const mayHave = engine.queueHints.mayHaveJobs(worker.endpoint) && !isPaused(engine, worker.endpoint);
  return count > 0 && isServed(engine, worker) && mayHave;
}

/**
 * A worker that finishes what it has, and is ended then, gets nothing more. Its calls are held all the same:
 * answered at once, it would call again and again for as long as its last job takes.
 */
export function isRunOut(engine: Engine, { endpoint, id }: Pick<WorkerIdentity, "endpoint" | "id">): boolean {
  if (engine.isStopping || engine.draining.has(id) || !engine.toReplace.has(id)) return false;
  return engine.configuration.get("endpoint", endpoint) !== undefined;
}

/**
 * A worker that is being stopped or replaced, or whose server is, gets no more jobs; nor does one whose
 * endpoint is gone.
 */
export function isServed(engine: Engine, { endpoint, id }: Pick<WorkerIdentity, "endpoint" | "id">): boolean {
  if (engine.isStopping || engine.draining.has(id) || engine.toReplace.has(id)) return false;
  // It can have called another server than the one that started it.
  if (engine.configuration.get("worker", id)?.asked !== undefined) return false;
  return engine.configuration.get("endpoint", endpoint) !== undefined;
}
