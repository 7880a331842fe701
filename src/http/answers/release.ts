import { z } from "zod";
import { type Release, RELEASE_STATES, type ReleaseMembers, releaseStateOf } from "../../domain/release.ts";
import { lastExit, presentExit } from "./fleet.ts";
import { type Answered, dateText, moment, nextCursor, type Shown } from "./members.ts";

/** The releases of an endpoint (docs/releases.md). */
const release = z
  .strictObject({
    version: z.int().min(1),
    state: z.enum(RELEASE_STATES),
    imageName: z.string(),
    pinnedImage: z
      .string()
      .optional()
      .meta({ description: "What its workers run: the image by the digest under which it was pulled." }),
    rollbackTo: z.int().min(1).optional().meta({ description: "The version that it brings back." }),
    createdAt: moment,
    pausedAt: moment.optional().meta({ description: "Since when it is `PAUSED`." }),
    servedAt: moment.optional().meta({ description: "When a worker of it called first." }),
    completeAt: moment.optional().meta({ description: "When no worker of another version ran any more." }),
    stopped: z
      .strictObject({ at: moment, lastExit })
      .optional()
      .meta({ description: "Why it was stopped: the start of a worker that failed last." }),
  })
  .meta({ id: "Release", description: "One version of what the workers of an endpoint start from." });

export const RELEASE = {
  schema: release,
  example: {
    version: 2,
    state: "ROLLING",
    imageName: "registry.example.com/team/hello:1.2",
    createdAt: "2026-08-01T12:00:00.000Z",
    rollbackTo: 1,
  },
};

export const RELEASES = {
  schema: z.strictObject({ releases: z.array(release), nextCursor: nextCursor.optional() }),
  example: { releases: [RELEASE.example] },
};

export type ReleaseAnswer = Answered<typeof release>;
export type ReleasesAnswer = Answered<typeof RELEASES.schema>;

/** What a release's record shows besides the release itself. */
interface ReleaseFacts {
  /** Of the same endpoint. */
  readonly newest: Release;
  /** For a release that was stopped: the last log lines of the worker whose start failed. */
  readonly lastLines: readonly string[];
}

export function presentRelease(
  release: Release & Pick<ReleaseMembers, "imageName">,
  { newest, lastLines }: ReleaseFacts,
): Shown<ReleaseAnswer> {
  const { number, imageName, pinnedImage, rollbackTo, stopped } = release;
  const state = releaseStateOf(release, newest);
  return {
    version: number,
    state,
    imageName,
    pinnedImage,
    rollbackTo,
    createdAt: dateText(release.createdAt),
    pausedAt: state === "PAUSED" ? dateText(release.paused?.pausedAt) : undefined,
    servedAt: dateText(release.servedAt),
    completeAt: dateText(release.completeAt),
    stopped: stopped && {
      at: dateText(stopped.stoppedAt),
      lastExit: presentExit({ worker: stopped.worker, how: stopped.how, at: stopped.at, lastLines }),
    },
  };
}
