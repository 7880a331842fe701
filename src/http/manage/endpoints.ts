import type { Access } from "../../domain/account.ts";
import type { Endpoint } from "../../domain/endpoint.ts";
import { endpointWorkers } from "../../engine/endpoint-workers.ts";
import { deleteEndpoint } from "../../engine/records/delete-endpoint.ts";
import { createEndpoint, endpointOf, endpointsOf, updateEndpoint } from "../../engine/records/endpoints.ts";
import { ACCESS_WITHIN } from "../access.ts";
import { accountRoute } from "../account-route.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { requireScope } from "../opened.ts";
import { presentEndpoint } from "../present/endpoint.ts";
import { parseQuery } from "../query.ts";
import { jsonValue, noContent } from "../reply.ts";
import type { Route } from "../route.ts";
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

  /** With what the query asks for. Throws INVALID_QUERY. */
  async function presentIncluding({ query, dialect }: Call, endpoint: Endpoint): Promise<object> {
    const { flag } = parseQuery(query);
    const template = flag("includeTemplate");
    const workers = flag("includeWorkers") ? await endpointWorkers(engine, endpoint.id) : undefined;
    return presentEndpoint(engine, endpoint, { template, workers, dialect });
  }

  return [
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/endpoints",
      async handle(call, access) {
        const given = await parseBody(context, call, CREATE_ENDPOINT);
        refuseRaisedLimits(access, given);
        const endpoint = await createEndpoint(engine, access.account, given);
        return jsonValue(presentEndpoint(engine, endpoint));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints",
      async handle(call, { account }) {
        const endpoints = endpointsOf(engine, account);
        return jsonValue(await Promise.all(endpoints.map((endpoint) => presentIncluding(call, endpoint))));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}",
      async handle(call, { account }) {
        const endpoint = endpointOf(engine, account, call.parameters[0] ?? "");
        return jsonValue(await presentIncluding(call, endpoint));
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
