import { servingOf } from "../domain/release.ts";
import { versionOf } from "../domain/worker.ts";
import type { WithFleet } from "./fleet-state.ts";
import type { WithConfiguration } from "./records/configuration.ts";

/** What says which version a worker was started from, and which one is to run. */
export type WorkerVersions = WithConfiguration & WithFleet;

/** Whether a release is to replace the worker. While it is paused it replaces none: both versions serve. */
export function isOutdated(engine: WorkerVersions, endpoint: string, worker: string): boolean {
  const serving = servingOf(engine.configuration.releases(endpoint));
  return serving?.paused === undefined && isOfOtherVersion(engine, endpoint, worker);
}

/**
 * Whether Forebay started the worker from another version than the one whose workers are to run. A worker
 * that came by itself has none.
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
