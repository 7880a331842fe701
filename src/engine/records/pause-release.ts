import type { Endpoint } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import { type ReleasePause, releaseStateOf, servingBefore } from "../../domain/release.ts";
import type { Engine } from "../engine.ts";
import { endpointWorkers } from "../endpoint-workers.ts";
import { tellFleet } from "../tell-fleet.ts";
import { ensureRelease, putUnlessChanged, releaseOf } from "./releases.ts";
import type { StoredRelease } from "./stored-release.ts";

/**
 * Holds a release where it is, or lets it go on. To ask again for what is so already changes nothing. Throws
 * RELEASE_NOT_FOUND, and RELEASE_NOT_ROLLING where there is nothing to hold.
 */
export async function pauseRelease(
  engine: Engine,
  endpoint: Endpoint,
  said: number | string,
  isPaused: boolean,
): Promise<StoredRelease> {
  for (;;) {
    await ensureRelease(engine, endpoint.id);
    const release = releaseOf(engine, endpoint, said);
    const version = release.number;
    const releases = engine.configuration.releases(endpoint.id);
    const state = releaseStateOf(release, releases[0] ?? release);
    if (isPaused === (state === "PAUSED")) return release;
    if (isPaused && state !== "ROLLING") {
      throw new ForebayError(
        "RELEASE_NOT_ROLLING",
        `Release ${version} is ${state}. Only one that is ROLLING can be paused.`,
      );
    }
    if (isPaused && servingBefore(releases, release) === undefined) {
      throw new ForebayError(
        "RELEASE_NOT_ROLLING",
        `No version has served before release ${version}, so it replaces none. Pause the endpoint instead: ` +
          "isPaused of it keeps its jobs waiting.",
      );
    }
    const paused = isPaused ? await pauseNow(engine, release) : undefined;
    if (!(await putUnlessChanged(engine, { ...release, paused }))) continue;
    engine.log.info(isPaused ? "a release is paused" : "a release is resumed", {
      endpoint: endpoint.id,
      version,
    });
    tellFleet(engine, endpoint.id);
    return releaseOf(engine, endpoint, version);
  }
}

/** Workers that get no more jobs are on their way out, and those that are silent may be gone already. */
async function pauseNow(engine: Engine, { endpoint, number }: StoredRelease): Promise<ReleasePause> {
  const workers = await endpointWorkers(engine, endpoint);
  const staying = workers.filter(
    ({ managed, state }) => managed && !["DRAINING", "UNHEALTHY"].includes(state),
  );
  const own = staying.filter(({ version }) => version === number).length;
  return { pausedAt: engine.clock.now(), own, earlier: staying.length - own };
}
