import { servingOf } from "../domain/release.ts";
import { versionOf } from "../domain/worker.ts";
import type { Engine } from "./engine.ts";

/**
 * Whether Forebay started the worker from another version than the one whose workers are to run. A worker
 * that came by itself has none.
 */
export function isOfOtherVersion(
  { configuration, managed }: Pick<Engine, "configuration" | "managed">,
  endpoint: string,
  worker: string,
): boolean {
  const serving = servingOf(configuration.releases(endpoint));
  if (serving === undefined) return false;
  const version = versionOf(worker);
  return version === undefined ? managed.has(worker) : version !== serving.number;
}
