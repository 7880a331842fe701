import type { Endpoint } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import { type ReleasePause, releaseStateOf, servingBefore } from "../../domain/release.ts";
import { type FleetNews, notifyFleet } from "../fleet-state.ts";
import { endpointWorkers } from "../endpoint-workers.ts";
import type { WorkerSight } from "../health.ts";
import { ensureRelease, putUnlessChanged, type Releases, releaseOf } from "./releases.ts";
import type { StoredRelease } from "./record-bodies.ts";

/** What pausing a release needs. */
export interface ReleasePausing extends Releases, WorkerSight, FleetNews {}

export interface ReleaseWish {
  readonly isPaused: boolean;
  /** One worker of the release starts now, even without a job, unless one has called already. */
  readonly startsNow?: true | undefined;
}

/**
 * Pauses a release, or continues it. Changes nothing if it is so already. Throws RELEASE_NOT_FOUND, and
 * RELEASE_NOT_ROLLING if the release is not in progress.
 */
export async function pauseRelease(
  engine: ReleasePausing,
  endpoint: Endpoint,
  said: number | string,
  { isPaused, startsNow }: ReleaseWish,
): Promise<StoredRelease> {
  for (;;) {
    await ensureRelease(engine, endpoint.id);
    const release = releaseOf(engine, endpoint, said);
    const version = release.number;
    const releases = engine.configuration.releases(endpoint.id);
    const state = releaseStateOf(release, releases[0] ?? release);
    const isStart = startsNow === true && release.startsNow !== true && release.servedAt === undefined;
    if (isPaused === (state === "PAUSED") && !isStart) return release;
    if (isPaused && state !== "ROLLING") {
      throw new ForebayError(
        "RELEASE_NOT_ROLLING",
        `Release ${version} is ${state}. Only a release that is ROLLING can be paused.`,
      );
    }
    if (isPaused && servingBefore(releases, release) === undefined) {
      throw new ForebayError(
        "RELEASE_NOT_ROLLING",
        `Release ${version} is the first one, so it replaces no workers. To keep jobs waiting, pause the ` +
          "endpoint: set isPaused to true.",
      );
    }
    const paused = isPaused ? await pauseNow(engine, release) : undefined;
    const starts = isStart ? { startsNow } : {};
    if (!(await putUnlessChanged(engine, { ...release, paused, ...starts }))) continue;
    const done = isPaused ? "a release is paused" : isStart ? "a release starts" : "a release is resumed";
    engine.log.info(done, { endpoint: endpoint.id, version });
    notifyFleet(engine, endpoint.id);
    return releaseOf(engine, endpoint, version);
  }
}

/** Workers that are being stopped do not count, and silent workers may be dead. */
async function pauseNow(engine: WorkerSight, { endpoint, number }: StoredRelease): Promise<ReleasePause> {
  const workers = await endpointWorkers(engine, endpoint);
  const staying = workers.filter(
    ({ managed, state }) => managed && !["DRAINING", "UNHEALTHY"].includes(state),
  );
  const own = staying.filter(({ version }) => version === number).length;
  return { pausedAt: engine.clock.now(), own, earlier: staying.length - own };
}
