import { z } from "zod";
import type { Engine } from "../../engine/engine.ts";
import { pauseRelease } from "../../engine/records/pause-release.ts";
import { rollBack } from "../../engine/records/releases.ts";
import type { StoredRelease } from "../../engine/records/record-bodies.ts";
import { lastLinesIn } from "../../engine/records/stored-release.ts";
import { endpointOperation } from "../account-operation.ts";
import {
  presentRelease,
  RELEASE,
  type ReleaseAnswer,
  RELEASES,
  type ReleasesAnswer,
} from "../answers/release.ts";
import { jsonValue } from "../reply.ts";
import { PAGE, pageOf, placeBy } from "./page.ts";

const list = endpointOperation({
  id: "listReleases",
  method: "GET",
  path: "/v1/endpoints/{endpoint}/releases",
  access: "manage",
  tag: "endpoints",
  summary: "List an endpoint's releases",
  description: "The newest first. An endpoint whose workers you start has none.",
  query: PAGE,
  answers: { 200: { description: "The releases.", json: RELEASES } },
  handle({ engine }, _call, { endpoint, query }) {
    const releases = engine.configuration.releases(endpoint.id);
    // The newest first.
    const { items, nextCursor } = pageOf(query(), releases, ({ number }) =>
      placeBy(Number.MAX_SAFE_INTEGER - number, number),
    );
    return jsonValue({
      releases: items.map((each) => shown(engine, each)),
      nextCursor,
    } satisfies ReleasesAnswer);
  },
});

const bringBack = endpointOperation({
  id: "rollBack",
  method: "POST",
  path: "/v1/endpoints/{endpoint}/releases",
  access: "manage",
  tag: "endpoints",
  summary: "Roll back to an earlier version",
  description: "Makes a new release of what an earlier one started workers from.",
  body: {
    schema: z
      .strictObject({ version: z.int().min(1).max(Number.MAX_SAFE_INTEGER) })
      .meta({ id: "RollBack", description: "The version to bring back." }),
    example: { version: 1 },
    isRequired: true,
  },
  answers: { 200: { description: "The new release.", json: RELEASE } },
  errors: ["RELEASE_NOT_FOUND", "STORAGE_FULL"],
  async handle({ engine }, _call, { endpoint, body }) {
    const { version } = await body();
    return jsonValue(shown(engine, await rollBack(engine, endpoint, version)));
  },
});

const pause = endpointOperation({
  id: "pauseRelease",
  method: "PATCH",
  path: "/v1/endpoints/{endpoint}/releases/{version}",
  access: "manage",
  tag: "endpoints",
  summary: "Pause or resume a release",
  description:
    "A release that is paused replaces no more workers: both versions serve, each with as many workers " +
    "as it had. What is so already is answered alike. With `startsNow` an endpoint without workers " +
    "starts one of the version now, without a job, until one has called or 3 starts have failed.",
  body: {
    schema: z
      .strictObject({
        isPaused: z.boolean(),
        startsNow: z
          .literal(true)
          .optional()
          .meta({ description: "One worker of the version starts now, without a job." }),
      })
      .meta({
        id: "PauseRelease",
        description: "Whether the release stays where it is, and whether it starts a worker now.",
      }),
    example: { isPaused: true },
    isRequired: true,
  },
  answers: { 200: { description: "The release.", json: RELEASE } },
  errors: ["RELEASE_NOT_FOUND", "RELEASE_NOT_ROLLING", "STORAGE_FULL"],
  async handle({ engine }, { parameters: [, version = ""] }, { endpoint, body }) {
    return jsonValue(shown(engine, await pauseRelease(engine, endpoint, version, await body())));
  },
});

/** The releases of an endpoint: list, bring an earlier one back, pause and resume. */
export const RELEASE_OPERATIONS = [list, bringBack, pause] as const;

function shown(engine: Engine, release: StoredRelease): ReleaseAnswer {
  const [newest = release] = engine.configuration.releases(release.endpoint);
  const lastLines = release.stopped === undefined ? [] : lastLinesIn(engine, release);
  return presentRelease(release, { newest, lastLines });
}
