import type { WorkerToken } from "../domain/worker.ts";
import type { WithFleet } from "./fleet-state.ts";
import type { WorkerName } from "./known-workers.ts";
import type { ParkedTakes } from "./parked-takes.ts";
import type { QueueHints } from "./queue-hints.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import { isPaused, type TakeSteps } from "./take-step.ts";
import type { StoreAccess, WithStop } from "./verb-needs.ts";

/** What decides whether a worker gets jobs. */
export interface WorkerService extends WithStop, WithConfiguration, WithFleet {}

/** What it takes to hand out jobs. */
export interface HandOuts extends StoreAccess, WorkerService, TakeSteps {
  /** Calls for jobs that wait for one. */
  readonly parkedTakes: ParkedTakes;
  readonly queueHints: QueueHints;
}

/** Whether it is worth asking the store for jobs for this worker. */
export function canTake(engine: HandOuts, worker: WorkerName, count: number): boolean {
  const mayHave = engine.queueHints.mayHaveJobs(worker.endpoint) && !isPaused(engine, worker.endpoint);
  return count > 0 && isServed(engine, worker) && mayHave;
}

/**
 * Whether calls with the token of a worker are answered: not if it is lost, nor if its endpoint is gone. The
 * token goes a moment after the endpoint.
 */
export function isAdmitted({ configuration }: WithConfiguration, { endpoint, lostAt }: WorkerToken): boolean {
  return lostAt === undefined && configuration.get("endpoint", endpoint) !== undefined;
}

/**
 * A worker that is being stopped or replaced, or whose server is, gets no more jobs; nor does one whose
 * endpoint is gone.
 */
export function isServed(
  { isStopping, fleet, configuration }: WorkerService,
  { endpoint, id }: WorkerName,
): boolean {
  if (isStopping || fleet.draining.has(id) || fleet.toReplace.has(id)) return false;
  // It can have called another server than the one that started it.
  const { asked, lostAt } = configuration.get("worker", id) ?? {};
  if (asked !== undefined || lostAt !== undefined) return false;
  return configuration.get("endpoint", endpoint) !== undefined;
}

/**
 * A worker that finishes what it has, and is ended then, gets nothing more. Its calls are held all the same:
 * answered at once, it would call again and again for as long as its last job takes.
 */
export function isRunOut(
  { isStopping, fleet, configuration }: WorkerService,
  { endpoint, id }: WorkerName,
): boolean {
  if (isStopping || fleet.draining.has(id) || !fleet.toReplace.has(id)) return false;
  return configuration.get("endpoint", endpoint) !== undefined;
}
