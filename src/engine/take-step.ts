import { servingOf } from "../domain/release.ts";
import { versionOf } from "../domain/worker.ts";
import type { Take } from "../store/steps.ts";
import type { WithFleet } from "./fleet-state.ts";
import { isSilent, type Pings, type WorkerLoad } from "./known-workers.ts";
import type { HandOutRules } from "./parked-takes.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import type { WithDurations } from "./verb-needs.ts";

/** What says from which version a worker was started, and from which one workers are to run. */
export type WorkerVersions = WithConfiguration & WithFleet;

/** What the step that hands out jobs is made of. */
export interface TakeSteps extends Pings, WithDurations {}

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

/** Whether the jobs of the endpoint wait until it goes on; calls for jobs are held meanwhile. */
export function isPaused({ configuration }: WithConfiguration, endpoint: string): boolean {
  return configuration.get("endpoint", endpoint)?.isPaused ?? false;
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
