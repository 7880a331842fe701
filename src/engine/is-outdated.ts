import { servingOf } from "../domain/release.ts";
import type { Engine } from "./engine.ts";
import { isOfOtherVersion } from "./is-of-other-version.ts";

/** Whether a release is to replace the worker. While it is paused it replaces none: both versions serve. */
export function isOutdated(
  engine: Pick<Engine, "configuration" | "managed">,
  endpoint: string,
  worker: string,
): boolean {
  const serving = servingOf(engine.configuration.releases(endpoint));
  return serving?.paused === undefined && isOfOtherVersion(engine, endpoint, worker);
}
