import type { LastExit } from "./fleet-report.ts";
import type { Template } from "./template.ts";
import type { WantedGpus } from "./worker.ts";

/** What workers start from: when one of these changes they are replaced (design, row 20). */
export interface ReleaseMembers extends Pick<
  Template,
  | "imageName"
  | "containerRegistryAuthId"
  | "dockerEntrypoint"
  | "dockerStartCmd"
  | "env"
  | "ports"
  | "containerDiskInGb"
  | "volumeInGb"
  | "volumeMountPath"
> {
  /** Undefined: none, whatever the category of the template. */
  readonly gpus?: WantedGpus | undefined;
  /** Cores at most; undefined: as many as the server says. */
  readonly cores?: number | undefined;
  readonly shmSizeInMb?: number | undefined;
  /** The label of the hosts where its workers run; undefined: any host. */
  readonly hostLabel?: string | undefined;
}

export const RELEASE_STATES = [
  /** Its workers come in the place of earlier ones, or none of them has called yet. */
  "ROLLING",
  /** It stays where it is until it is resumed: its workers and those of the earlier version both serve. */
  "PAUSED",
  /** A worker of it has called, and none of another version runs any more. */
  "COMPLETE",
  /** None of its workers came so far as to call: the version that served before goes on. */
  "STOPPED",
  /** There is a newer one. */
  "REPLACED",
] as const;

export type ReleaseState = (typeof RELEASE_STATES)[number];

/** Since when a release stays where it is, and how far it had come: the workers that were there. */
export interface ReleasePause {
  readonly pausedAt: number;
  /** How many were of this release, those that were starting included. */
  readonly own: number;
  /** How many were of earlier ones and had not been replaced. */
  readonly earlier: number;
}

/** One version of what the workers of an endpoint start from (decision 0023). */
export interface Release {
  /** Of its endpoint: the first one is 1. */
  readonly number: number;
  /** The name of the image with the digest under which it was pulled first; undefined: it never was. */
  readonly pinnedImage?: string | undefined;
  /** The version that it brings back. */
  readonly rollbackTo?: number | undefined;
  readonly createdAt: number;
  /** When a worker of it called first. */
  readonly servedAt?: number | undefined;
  /** When none of another version ran any more. */
  readonly completeAt?: number | undefined;
  /** One worker of it starts without a job, to show whether it can; undefined: the next job starts it. */
  readonly startsNow?: true | undefined;
  /** Undefined while it goes on. */
  readonly paused?: ReleasePause | undefined;
  /** When it was stopped, and the start that failed last. */
  readonly stopped?: (Omit<LastExit, "lastLines"> & { readonly stoppedAt: number }) | undefined;
}

/** Whether a worker of the release is to start although no job wants one. */
export function wantsFirstWorker(release: Release | undefined): boolean {
  return release?.startsNow === true && release.servedAt === undefined && release.stopped === undefined;
}

/** How it is with a release of which `newest` is the newest of its endpoint. */
export function releaseStateOf(release: Release, newest: Release): ReleaseState {
  if (release.stopped !== undefined) return "STOPPED";
  if (release.number !== newest.number) return "REPLACED";
  if (release.completeAt !== undefined) return "COMPLETE";
  return release.paused === undefined ? "ROLLING" : "PAUSED";
}

/** The newest release, or if that is stopped, the one that served before it. `releases`: newest first. */
export function servingOf<Kind extends Release>(releases: readonly Kind[]): Kind | undefined {
  const [newest] = releases;
  if (newest?.stopped === undefined) return newest;
  return servingBefore(releases, newest) ?? newest;
}

/**
 * The release that served before another one, of those of an endpoint, the newest first; undefined where none
 * did. One that was never resumed was not trusted, and is passed over.
 */
export function servingBefore<Kind extends Release>(
  releases: readonly Kind[],
  { number: before }: Pick<Release, "number">,
): Kind | undefined {
  return releases.find(({ number, servedAt, stopped, paused }) => {
    return number < before && servedAt !== undefined && stopped === undefined && paused === undefined;
  });
}
