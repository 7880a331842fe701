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

/** What making and changing releases needs. */
export interface Releases extends RecordChanges, WithWorkerStarts, WithLog {}

/** So many releases of an endpoint are kept, and those beside them whose workers run. */
const KEPT = 50;

/**
 * Makes a release where template or endpoint changed so that other workers start than those of the newest
 * release. The answer is the release whose workers are to run (`servingOf`); undefined where Forebay starts
 * none.
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
    // Servers of an earlier version compare the source alone.
    if (known?.source === source || known?.effect === effect) return servingOf(releases);
    const members = releaseMembers(engine, template, endpoint);
    await makeRelease(engine, endpoint, { members, source, effect });
  }
}

/** Makes what is missing at each endpoint on the template, or on any. */
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

/** Nothing is made when another call has made the next one; the answer is whether it was this one. */
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
 * A new release that starts workers from what an earlier version did, by the image it was pinned to. It holds
 * until template or endpoint change again. Throws RELEASE_NOT_FOUND.
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
      // What is said now: else the next look would find a change, and undo this.
      ...fingerprintIn(engine, newest),
      pinnedImage: found.pinnedImage,
      rollbackTo: version,
    };
    if (!(await makeRelease(engine, endpoint, made))) continue;
    const release = engine.configuration.get("release", `${endpoint.id}.${newest.number + 1}`);
    if (release !== undefined) return release;
  }
}

/** The release of that number, also as a path says it. Throws RELEASE_NOT_FOUND. */
export function releaseOf(
  engine: WithConfiguration,
  { id }: Endpoint,
  version: number | string,
): StoredRelease {
  const found = engine.configuration.releases(id).find(({ number }) => String(number) === String(version));
  if (found !== undefined) return found;
  throw new ForebayError("RELEASE_NOT_FOUND", `Endpoint ${id} has no release of version ${version}.`);
}

/** The image under whose digest it was pulled; the first one to say so is believed. */
export async function pinRelease(engine: RecordChanges, id: string, pinnedImage: string): Promise<void> {
  await amend(engine, id, (release) => release.pinnedImage === undefined && { ...release, pinnedImage });
}

/** A worker of it has called. */
export async function noteServed(engine: RecordChanges, id: string): Promise<void> {
  const servedAt = engine.clock.now();
  await amend(engine, id, (release) => release.servedAt === undefined && { ...release, servedAt });
}

/** No worker of another version runs any more; one that is paused stays so. */
export async function noteComplete(engine: RecordChanges, id: string): Promise<void> {
  const completeAt = engine.clock.now();
  await amend(engine, id, (release) => {
    return release.completeAt === undefined && release.paused === undefined && { ...release, completeAt };
  });
}

/** Its workers cannot start: the version that served before goes on. */
export async function stopRelease(engine: RecordChanges, id: string, exit: LastExit): Promise<void> {
  await amend(engine, id, (release) => release.stopped === undefined && sealStopped(engine, release, exit));
}

/** Removes the releases of endpoints that are gone; a server that was killed has left them. */
export async function deleteOrphanReleases(engine: RecordAccess): Promise<void> {
  const { all, get } = engine.configuration;
  const orphans = all("release").filter(({ endpoint }) => get("endpoint", endpoint) === undefined);
  await remove(engine, orphans);
}

/** Removes all releases of an endpoint. */
export function deleteReleases(engine: RecordAccess, endpoint: string): Promise<void> {
  return remove(engine, engine.configuration.releases(endpoint));
}

/** Keeps `kept` releases of the endpoint, and those beside them that are needed. */
export async function forgetOld(engine: RecordAccess, endpoint: string, kept = KEPT): Promise<void> {
  const releases = engine.configuration.releases(endpoint);
  const tokens = engine.configuration.all("worker").filter((token) => token.endpoint === endpoint);
  const serving = servingOf(releases);
  // What had served last may have to serve again.
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

/** False: whoever was faster has said something newer, which is to be looked at again. */
export async function putUnlessChanged(engine: RecordChanges, release: StoredRelease): Promise<boolean> {
  try {
    await putRecord(engine, "release", release);
    return true;
  } catch (error) {
    if (error instanceof ForebayError && error.code === "CHANGED_MEANWHILE") return false;
    throw error;
  }
}

/** Writes what `change` makes of the release as it is now, unless that is nothing new. */
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
