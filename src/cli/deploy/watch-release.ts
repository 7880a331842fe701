import { versionOf } from "../../domain/worker.ts";
import type { EndpointAnswer } from "../../http/answers/endpoint.ts";
import type { ReleaseAnswer, ReleasesAnswer } from "../../http/answers/release.ts";
import { callServer, listAll, type ServerAccess } from "../server-call.ts";
import { watchUntil } from "../watch-until.ts";

/** How a worker exited, or could not be started. */
type Exit = NonNullable<ReleaseAnswer["stopped"]>["lastExit"];

export interface WatchedRelease {
  readonly version: number;
  /** Undefined: the release is complete. */
  readonly failure: Exit | undefined;
}

/** What to watch, and where to report. */
interface Watched {
  readonly access: ServerAccess;
  readonly endpoint: EndpointAnswer;
  /** The newest release is from an earlier command. If it failed, it is tried again. */
  readonly isOld: boolean;
  readonly goOn: string;
  readonly say: (sentence: string) => void;
}

/**
 * Starts a worker of the newest release even without a job, and waits until the release is complete or its
 * workers cannot start. Ctrl-C throws Interrupted.
 */
export async function watchRelease(watched: Watched): Promise<WatchedRelease> {
  const { access, endpoint, isOld, goOn, say } = watched;
  const path = `/v1/endpoints/${endpoint.id}`;
  let release = await newestOf(access, path);
  if (isOld && (await failureOf(access, path, release)) !== undefined) {
    const body = { version: release.version };
    const next = await callServer<ReleaseAnswer>(access, `${path}/releases`, '{"version":', body);
    say(`Version ${release.version} could not start. Trying it again as version ${next.version}.`);
    release = next;
  }
  if (release.state === "ROLLING") {
    say(`Starting a worker of version ${release.version}.`);
    const body = { isPaused: false, startsNow: true };
    await callServer(access, `${path}/releases/${release.version}`, '{"version":', body, "PATCH");
  }
  let failure: Exit | undefined;
  let hasServed = release.servedAt !== undefined;
  await watchUntil(goOn, async () => {
    release = await newestOf(access, path);
    failure = await failureOf(access, path, release);
    if (failure !== undefined || !["ROLLING", "PAUSED"].includes(release.state)) return undefined;
    const served = release.servedAt !== undefined;
    if (served && !hasServed) say(`A worker of version ${release.version} is ready. Replacing the others.`);
    hasServed = served;
    if (release.state === "PAUSED") return `version ${release.version} is paused`;
    return served ? await replacedText(access, path, release) : await startingText(access, path, release);
  });
  return { version: release.version, failure };
}

async function newestOf(access: ServerAccess, path: string): Promise<ReleaseAnswer> {
  const list = `${path}/releases?limit=1`;
  const { releases } = await callServer<ReleasesAnswer>(access, list, '{"releases":');
  const [newest] = releases;
  if (newest === undefined) throw new Error("an endpoint whose workers the server starts has a release");
  return newest;
}

/** Why workers of the release cannot start; undefined while they still may, or if one did. */
async function failureOf(
  access: ServerAccess,
  path: string,
  { version, state, stopped, servedAt }: ReleaseAnswer,
): Promise<Exit | undefined> {
  if (stopped !== undefined) return stopped.lastExit;
  if (state !== "ROLLING" || servedAt !== undefined) return undefined;
  // There is no version before the first one, so it is retried without end.
  const { fleet } = await callServer<EndpointAnswer>(access, path, '{"id":');
  const { worker } = fleet?.lastExit ?? {};
  const isOwn = worker === undefined || versionOf(worker) === version;
  return fleet?.state === "CRASH_LOOP" && isOwn ? fleet.lastExit : undefined;
}

async function startingText(access: ServerAccess, path: string, { version }: ReleaseAnswer): Promise<string> {
  const { fleet } = await callServer<EndpointAnswer>(access, path, '{"id":');
  return `starting version ${version}${fleet?.state === "NO_ROOM" ? `: ${fleet.reason}` : ""}`;
}

async function replacedText(access: ServerAccess, path: string, { version }: ReleaseAnswer): Promise<string> {
  const workers = await listAll(access, `${path}/workers`, "workers");
  const own = workers.filter((worker) => worker.version === version).length;
  return `version ${version}: ${own} of ${workers.length} workers`;
}
