import { servingBefore, servingOf } from "../domain/release.ts";
import { versionOf } from "../domain/worker.ts";
import type { Engine } from "../engine/engine.ts";
import { ensureRelease, noteComplete, noteServed, stopRelease } from "../engine/records/releases.ts";
import { isCrashLoop } from "../fleet/backoff.ts";
import type { WorkerNow } from "../fleet/decide.ts";
import type { StartFailures } from "./start-failures.ts";

/** What the scaling job sees of the workers of an endpoint. */
export interface ReleaseLook {
  readonly endpoint: string;
  readonly workers: readonly Pick<WorkerNow, "id" | "isStarting">[];
  readonly failures: Pick<StartFailures, "backoff" | "lastExit">;
}

/**
 * Stores the progress of the release that serves: that its first worker has called, that all workers are its
 * own, or that it is stopped because none of its workers called while an earlier version has served.
 */
export async function followRelease(engine: Engine, look: ReleaseLook): Promise<void> {
  const { endpoint, workers, failures } = look;
  const release = await ensureRelease(engine, endpoint);
  if (release === undefined) return;
  const own = workers.filter(({ id }) => versionOf(id) === release.number);
  if (own.every(({ isStarting }) => isStarting)) {
    const lastExit = failures.lastExit(endpoint);
    // Without a worker, the failure says nothing about the version.
    if (!isCrashLoop(failures.backoff(endpoint)) || lastExit?.worker === undefined) return;
    const releases = engine.configuration.releases(endpoint);
    if (release.servedAt !== undefined || servingBefore(releases, release) === undefined) return;
    await stopRelease(engine, release.id, lastExit);
    engine.log.warn("a release was stopped: its workers exited before they connected", {
      endpoint,
      version: release.number,
      goesOnWith: servingOf(engine.configuration.releases(endpoint))?.number ?? 0,
      reason: lastExit.how,
    });
    return;
  }
  if (release.servedAt === undefined) await noteServed(engine, release.id);
  if (own.length < workers.length || release.completeAt !== undefined || release.paused) return;
  await noteComplete(engine, release.id);
  engine.log.info("a release is complete", { endpoint, version: release.number });
}
