import { z } from "zod";
import { releaseStateOf } from "../../domain/release.ts";
import type { Engine } from "../../engine/engine.ts";
import { endpointOf } from "../../engine/records/find-endpoint.ts";
import { pauseRelease } from "../../engine/records/pause-release.ts";
import { rollBack } from "../../engine/records/releases.ts";
import type { StoredRelease } from "../../engine/records/record-bodies.ts";
import { lastLinesIn } from "../../engine/records/stored-release.ts";
import { accountRoute } from "../account-route.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";
import { dateText } from "./date-text.ts";
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
        return jsonValue({ releases: items.map((release) => presentRelease(engine, release)), nextCursor });
      },
    }),
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/releases",
      async handle(call, { account }) {
        const endpoint = endpointOf(engine, account, call.parameters[0] ?? "");
        const { version } = await parseBody(context, call, ROLL_BACK);
        return jsonValue(presentRelease(engine, await rollBack(engine, endpoint, version)));
      },
    }),
    accountRoute(context, {
      methods: ["PATCH"],
      path: "/v1/endpoints/{endpoint}/releases/{version}",
      async handle(call, { account }) {
        const [id = "", version = ""] = call.parameters;
        const endpoint = endpointOf(engine, account, id);
        const wish = await parseBody(context, call, PAUSE_RELEASE);
        return jsonValue(presentRelease(engine, await pauseRelease(engine, endpoint, version, wish)));
      },
    }),
  ];
}

function presentRelease(engine: Engine, release: StoredRelease): object {
  const { number, endpoint, imageName, pinnedImage, rollbackTo, stopped } = release;
  const [newest = release] = engine.configuration.releases(endpoint);
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
      lastExit: {
        worker: stopped.worker,
        how: stopped.how,
        at: dateText(stopped.at),
        lastLines: lastLinesIn(engine, release),
      },
    },
  };
}
