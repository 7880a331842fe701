import { z } from "zod";
import type { Engine } from "../../engine/engine.ts";
import { endpointOf } from "../../engine/records/find-endpoint.ts";
import { pauseRelease } from "../../engine/records/pause-release.ts";
import { rollBack } from "../../engine/records/releases.ts";
import type { StoredRelease } from "../../engine/records/record-bodies.ts";
import { lastLinesIn } from "../../engine/records/stored-release.ts";
import { accountRoute } from "../account-route.ts";
import { presentRelease, type ReleaseAnswer, type ReleasesAnswer } from "../answers/release.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";
import { pageOf, placeBy } from "./page.ts";
import { parseBody } from "./parse-body.ts";

export const ROLL_BACK = z.strictObject({ version: z.int().min(1).max(Number.MAX_SAFE_INTEGER) });

export const PAUSE_RELEASE = z.strictObject({
  isPaused: z.boolean(),
  startsNow: z
    .literal(true)
    .optional()
    .meta({ description: "One worker of the version starts now, without a job." }),
});

/** The releases of an endpoint: list, pause and resume, and bring an earlier one back. */
export function releaseRoutes(context: HttpContext): Route[] {
  const { engine } = context;
  return [
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}/releases",
      handle(call, { account }) {
        const { id } = endpointOf(engine, account, call.parameters[0] ?? "");
        const releases = engine.configuration.releases(id);
        // The newest first.
        const { items, nextCursor } = pageOf(call, releases, ({ number }) =>
          placeBy(Number.MAX_SAFE_INTEGER - number, number),
        );
        return jsonValue({
          releases: items.map((each) => shown(engine, each)),
          nextCursor,
        } satisfies ReleasesAnswer);
      },
    }),
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/releases",
      async handle(call, { account }) {
        const endpoint = endpointOf(engine, account, call.parameters[0] ?? "");
        const { version } = await parseBody(context, call, ROLL_BACK);
        return jsonValue(shown(engine, await rollBack(engine, endpoint, version)));
      },
    }),
    accountRoute(context, {
      methods: ["PATCH"],
      path: "/v1/endpoints/{endpoint}/releases/{version}",
      async handle(call, { account }) {
        const [id = "", version = ""] = call.parameters;
        const endpoint = endpointOf(engine, account, id);
        const wish = await parseBody(context, call, PAUSE_RELEASE);
        return jsonValue(shown(engine, await pauseRelease(engine, endpoint, version, wish)));
      },
    }),
  ];
}

function shown(engine: Engine, release: StoredRelease): ReleaseAnswer {
  const [newest = release] = engine.configuration.releases(release.endpoint);
  const lastLines = release.stopped === undefined ? [] : lastLinesIn(engine, release);
  return presentRelease(release, { newest, lastLines });
}
