import type { Endpoint } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { LastExit } from "../../domain/fleet-report.ts";
import { type Release, type ReleaseMembers, servingBefore, servingOf } from "../../domain/release.ts";
import { versionOf } from "../../domain/worker.ts";
import { isManaged, type WithWorkerStarts } from "../launch.ts";
import type { WithLog } from "../verb-needs.ts";
import type { RecordAccess, WithConfiguration } from "./configuration.ts";
import type { StoredRelease } from "./record-bodies.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";
import { fingerprintOf, releaseMembers } from "./release-source.ts";
import { fingerprintIn, releaseMembersIn, sealRelease, sealStopped } from "./stored-release.ts";

/** What creating and changing releases needs. */
export interface Releases extends RecordChanges, WithWorkerStarts, WithLog {}

/** How many releases of an endpoint are kept, besides those whose workers run. */
const KEPT = 50;

/**
 * Creates a release if template or endpoint changed so that workers would start differently. Answers the
 * release whose workers are to run (`servingOf`); undefined if Forebay starts no workers for the endpoint.
 */
export async function ensureRelease(engine: Releases, id: string): Promise<StoredRelease | undefined> {
  for (;;) {
    const endpoint = engine.configuration.get("endpoint", id);
    const template = engine.configuration.get("template", endpoint?.templateId ?? "");
    const releases = engine.configuration.releases(id);
    if (endpoint === undefined || template === undefined || !isManaged(engine, id)) return undefined;
    const { source, effect } = fingerprintOf(engine, template, endpoint);
    const [newest] = releases;
    const known = newest && fingerprintIn(engine, newest);
    // Servers of an older version compare only the source.
    if (known?.source === source || known?.effect === effect) return servingOf(releases);
    const members = releaseMembers(engine, template, endpoint);
    await makeRelease(engine, endpoint, { members, source, effect });
  }
}

/** Creates the missing releases of all endpoints on the template, or of all endpoints. */
export async function ensureReleases(engine: Releases, template?: string): Promise<void> {
  for (const { id, templateId } of engine.configuration.all("endpoint")) {
    if (template === undefined || templateId === template) await ensureRelease(engine, id);
  }
}

interface Made extends Partial<Pick<Release, "pinnedImage" | "rollbackTo">> {
  readonly members: ReleaseMembers;
  readonly source: string;
  readonly effect: string | undefined;
}

/** Creates the release unless another call has created the next one. Answers whether this call did. */
async function makeRelease(engine: Releases, endpoint: Endpoint, made: Made): Promise<boolean> {
  const { members, source, effect, pinnedImage, rollbackTo } = made;
  const number = (engine.configuration.releases(endpoint.id)[0]?.number ?? 0) + 1;
  const release: Release = { number, pinnedImage, rollbackTo, createdAt: engine.clock.now() };
  const { id, account } = endpoint;
  if (
    !(await putUnlessChanged(
      engine,
      sealRelease(engine, { account, endpoint: id, release, members, source, effect }),
    ))
  )
    return false;
  engine.log.info("a release begins", { endpoint: id, version: number, image: members.imageName });
  const isOver = engine.configuration.use("release", account).bytes > engine.limits.releaseBytes;
  await forgetOld(engine, id, isOver ? 1 : KEPT);
  return true;
}

/**
 * Creates a release that starts workers as an earlier version did, from the image with the same digest. It is
 * the newest until template or endpoint change again. Throws RELEASE_NOT_FOUND.
 */
export async function rollBack(
  engine: Releases,
  endpoint: Endpoint,
  version: number,
): Promise<StoredRelease> {
  for (;;) {
    await ensureRelease(engine, endpoint.id);
    const found = releaseOf(engine, endpoint, version);
    const [newest = found] = engine.configuration.releases(endpoint.id);
    const made = {
      members: releaseMembersIn(engine, found),
      // The present source: otherwise the next look would find a change, and undo the rollback.
      ...fingerprintIn(engine, newest),
      pinnedImage: found.pinnedImage,
      rollbackTo: version,
    };
    if (!(await makeRelease(engine, endpoint, made))) continue;
    const release = engine.configuration.get("release", `${endpoint.id}.${newest.number + 1}`);
    if (release !== undefined) return release;
  }
}

/** The release with this number, which can come from a path. Throws RELEASE_NOT_FOUND. */
export function releaseOf(
  engine: WithConfiguration,
  { id }: Endpoint,
  version: number | string,
): StoredRelease {
  const found = engine.configuration.releases(id).find(({ number }) => String(number) === String(version));
  if (found !== undefined) return found;
  throw new ForebayError("RELEASE_NOT_FOUND", `Endpoint ${id} has no release of version ${version}.`);
}

/** Stores the image with its digest. The first digest counts. */
export async function pinRelease(engine: RecordChanges, id: string, pinnedImage: string): Promise<void> {
  await amend(engine, id, (release) => release.pinnedImage === undefined && { ...release, pinnedImage });
}

/** Stores that a worker of the release has called. */
export async function noteServed(engine: RecordChanges, id: string): Promise<void> {
  const servedAt = engine.clock.now();
  await amend(engine, id, (release) => release.servedAt === undefined && { ...release, servedAt });
}

/** Stores that no worker of another version runs any more. A paused release stays paused. */
export async function noteComplete(engine: RecordChanges, id: string): Promise<void> {
  const completeAt = engine.clock.now();
  await amend(engine, id, (release) => {
    return release.completeAt === undefined && release.paused === undefined && { ...release, completeAt };
  });
}

/** Stops a release whose workers cannot start. The version that served before continues. */
export async function stopRelease(engine: RecordChanges, id: string, exit: LastExit): Promise<void> {
  await amend(engine, id, (release) => release.stopped === undefined && sealStopped(engine, release, exit));
}

/** Removes the releases of deleted endpoints, which a killed server has left. */
export async function deleteOrphanReleases(engine: RecordAccess): Promise<void> {
  const { all, get } = engine.configuration;
  const orphans = all("release").filter(({ endpoint }) => get("endpoint", endpoint) === undefined);
  await remove(engine, orphans);
}

/** Removes all releases of an endpoint. */
export function deleteReleases(engine: RecordAccess, endpoint: string): Promise<void> {
  return remove(engine, engine.configuration.releases(endpoint));
}

/** Keeps `kept` releases of the endpoint, and besides them those that are needed. */
export async function forgetOld(engine: RecordAccess, endpoint: string, kept = KEPT): Promise<void> {
  const releases = engine.configuration.releases(endpoint);
  const tokens = engine.configuration.all("worker").filter((token) => token.endpoint === endpoint);
  const serving = servingOf(releases);
  // The version that served last may have to serve again.
  const before = serving && servingBefore(releases, serving);
  const needed = new Set([serving, before].map((release) => release?.number));
  for (const { id } of tokens) needed.add(versionOf(id));
  await remove(
    engine,
    releases.slice(kept).filter(({ number }) => !needed.has(number)),
  );
}

async function remove(engine: RecordAccess, releases: readonly StoredRelease[]): Promise<void> {
  if (releases.length === 0) return;
  const steps = releases.map(({ id }) => ({ step: "remove", kind: "release", id }) as const);
  await engine.store.apply(steps, engine.clock.now());
  await engine.configuration.refresh();
}

/** False if another call was faster: its newer version must be read first. */
export async function putUnlessChanged(engine: RecordChanges, release: StoredRelease): Promise<boolean> {
  try {
    await putRecord(engine, "release", release);
    return true;
  } catch (error) {
    if (error instanceof ForebayError && error.code === "CHANGED_MEANWHILE") return false;
    throw error;
  }
}

/** Stores the release after `change`, unless that changes nothing. */
async function amend(
  engine: RecordChanges,
  id: string,
  change: (release: StoredRelease) => StoredRelease | false,
): Promise<void> {
  for (let isWritten = false; !isWritten;) {
    const release = engine.configuration.get("release", id);
    const changed = release !== undefined && change(release);
    isWritten = changed === false || (await putUnlessChanged(engine, changed));
  }
}
