import type { Access } from "../../domain/account.ts";
import type { Endpoint } from "../../domain/endpoint.ts";
import { HIDDEN, WEBHOOK_RETRIES } from "../../domain/webhook.ts";
import type { Engine } from "../../engine/engine.ts";
import { type FleetView, fleetOf } from "../../engine/fleet-of.ts";
import { jobTimes } from "../../engine/job-times.ts";
import {
  createEndpoint,
  deleteEndpoint,
  endpointOf,
  endpointsOf,
  updateEndpoint,
} from "../../engine/records/endpoints.ts";
import { ACCESS_WITHIN } from "../access.ts";
import { accountRoute } from "../account-route.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { requireScope } from "../opened.ts";
import { jsonValue, noContent } from "../reply.ts";
import type { Route } from "../route.ts";
import { dateText } from "./date-text.ts";
import { CREATE_ENDPOINT, UPDATE_ENDPOINT } from "./endpoint-schema.ts";
import { parseBody } from "./parse-body.ts";

/** Endpoints: make, list, read, change, delete. */
export function endpointRoutes(context: HttpContext): Route[] {
  const { engine } = context;
  const update = async (call: Call, access: Access): Promise<Response> => {
    const changes = await parseBody(context, call, UPDATE_ENDPOINT);
    refuseRaisedLimits(access, changes);
    const endpoint = await updateEndpoint(engine, access.account, call.parameters[0] ?? "", changes);
    return jsonValue(presentEndpoint(engine, endpoint));
  };

  return [
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/endpoints",
      async handle(call, access) {
        const given = await parseBody(context, call, CREATE_ENDPOINT);
        refuseRaisedLimits(access, given);
        return jsonValue(presentEndpoint(engine, await createEndpoint(engine, access.account, given)));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints",
      handle(_call, { account }) {
        const endpoints = endpointsOf(engine, account);
        return jsonValue(endpoints.map((endpoint) => presentEndpoint(engine, endpoint)));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}",
      handle(call, { account }) {
        const endpoint = endpointOf(engine, account, call.parameters[0] ?? "");
        return jsonValue(presentEndpoint(engine, endpoint));
      },
    }),
    accountRoute(context, { methods: ["PATCH"], path: "/v1/endpoints/{endpoint}", handle: update }),
    accountRoute(context, { methods: ["POST"], path: "/v1/endpoints/{endpoint}/update", handle: update }),
    accountRoute(context, {
      methods: ["DELETE"],
      path: "/v1/endpoints/{endpoint}",
      async handle(call, { account }) {
        await deleteEndpoint(engine, account, call.parameters[0] ?? "");
        return noContent();
      },
    }),
  ];
}

/** What a server bears is the operator's to say. */
function refuseRaisedLimits(access: Access, { rateLimits }: { rateLimits?: unknown }): void {
  if (rateLimits === undefined || rateLimits === null) return;
  requireScope(access, ACCESS_WITHIN.rateLimits, "rateLimits");
}

/** The record; its times are those that hold, whoever has said them. */
function presentEndpoint(engine: Engine, endpoint: Endpoint): object {
  const { account: _account, createdAt, webhookHeaders, ...shown } = endpoint;
  return {
    ...shown,
    version: engine.configuration.releases(endpoint.id)[0]?.number,
    ...jobTimes(engine, endpoint.id),
    webhookRetries: endpoint.webhookRetries ?? WEBHOOK_RETRIES,
    // Their values are secrets.
    webhookHeaders: webhookHeaders && Object.fromEntries(webhookHeaders.names.map((name) => [name, HIDDEN])),
    createdAt: dateText(createdAt),
    fleet: presentFleet(fleetOf(engine, endpoint.id)),
  };
}

function presentFleet(fleet: FleetView | undefined): object | undefined {
  if (fleet === undefined) return undefined;
  const { state, reason, nextStartAt, lastExit, coldStart } = fleet;
  return {
    state,
    reason,
    nextStartAt: nextStartAt === undefined ? undefined : dateText(nextStartAt),
    lastExit: lastExit === undefined ? undefined : { ...lastExit, at: dateText(lastExit.at) },
    coldStartMs: coldStart === undefined ? undefined : Math.round(coldStart),
  };
}
