import { servingOf } from "../domain/release.ts";
import { versionOf } from "../domain/worker.ts";
import type { Take } from "../store/steps.ts";
import type { WithFleet } from "./fleet-state.ts";
import { isSilent, type Pings, type WorkerLoad, type WorkerName } from "./known-workers.ts";
import type { HandOutRules, ParkedTakes } from "./parked-takes.ts";
import type { QueueHints } from "./queue-hints.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import type { StoreAccess, WithDurations, WithStop } from "./verb-needs.ts";

/** What decides whether a worker gets jobs. */
export interface WorkerService extends WithStop, WithConfiguration, WithFleet {}

/** What says from which version a worker was started, and from which one workers are to run. */
export type WorkerVersions = WithConfiguration & WithFleet;

/** What the step that hands out jobs is made of. */
export interface TakeSteps extends Pings, WithDurations {}

/** What it takes to hand out jobs. */
export interface HandOuts extends StoreAccess, WorkerService, TakeSteps {
  /** Calls for jobs that wait for one. */
  readonly parkedTakes: ParkedTakes;
  readonly queueHints: QueueHints;
}

/** The step that hands up to `count` jobs to a worker. */
export function takeStep(engine: TakeSteps, endpoint: string, worker: string, count: number): Take {
  const deliveryLease = isSilent(engine, endpoint, worker) ? undefined : engine.durations.deliveryLease;
  return { step: "take", endpoint, worker, count, deliveryLease };
}

/** Which of the calls that wait gets the next job. */
export function handOutRules(engine: WorkerVersions, load: WorkerLoad): HandOutRules {
  return {
    load,
    isPaused: (endpoint) => isPaused(engine, endpoint),
    isOutdated: (endpoint, worker) => isOutdated(engine, endpoint, worker),
  };
}

/** Whether it is worth asking the store for jobs for this worker. */
export function canTake(engine: HandOuts, worker: WorkerName, count: number): boolean {
  const mayHave = engine.queueHints.mayHaveJobs(worker.endpoint) && !isPaused(engine, worker.endpoint);
  return count > 0 && isServed(engine, worker) && mayHave;
}

/** Whether the jobs of the endpoint wait until it goes on; calls for jobs are held meanwhile. */
export function isPaused({ configuration }: WithConfiguration, endpoint: string): boolean {
  return configuration.get("endpoint", endpoint)?.isPaused ?? false;
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
  if (configuration.get("worker", id)?.asked !== undefined) return false;
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

/** Whether a release replaces the worker. While it is paused it replaces none: both versions serve. */
export function isOutdated(engine: WorkerVersions, endpoint: string, worker: string): boolean {
  const serving = servingOf(engine.configuration.releases(endpoint));
  return serving?.paused === undefined && isOfOtherVersion(engine, endpoint, worker);
}

/**
 * Whether Forebay started the worker from another version than the one from which workers are to run. A
 * worker that Forebay did not start has no version.
 */
export function isOfOtherVersion(
  { configuration, fleet }: WorkerVersions,
  endpoint: string,
  worker: string,
): boolean {
  const serving = servingOf(configuration.releases(endpoint));
  if (serving === undefined) return false;
  const version = versionOf(worker);
  return version === undefined ? fleet.managed.has(worker) : version !== serving.number;
}
