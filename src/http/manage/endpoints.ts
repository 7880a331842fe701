import type { Access } from "../../domain/account.ts";
import type { Endpoint } from "../../domain/endpoint.ts";
import { endpointWorkers } from "../../engine/endpoint-workers.ts";
import { deleteEndpoint } from "../../engine/records/delete-endpoint.ts";
import { createEndpoint, updateEndpoint } from "../../engine/records/endpoints.ts";
import { endpointOf, endpointsOf, findEndpoint } from "../../engine/records/find-endpoint.ts";
import { runtimes } from "../../engine/records/template-uses.ts";
import { ACCESS_WITHIN } from "../access.ts";
import { accountRoute } from "../account-route.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { listReply } from "../list-reply.ts";
import { requireScope } from "../opened.ts";
import { endpointParts, endpointRecord } from "../present/endpoint.ts";
import { parseQuery } from "../query.ts";
import { jsonReply, noContent, type Part, type Reply } from "../reply.ts";
import type { Route } from "../route.ts";
import { CREATE_ENDPOINT, UPDATE_ENDPOINT } from "./endpoint-schema.ts";
import { parseBody } from "./parse-body.ts";

/** Endpoints: make, list, read, change, delete. */
export function endpointRoutes(context: HttpContext): Route[] {
  const { engine } = context;
  const update = async (call: Call, access: Access): Promise<Reply> => {
    const changes = await parseBody(context, call, UPDATE_ENDPOINT);
    refuseRaisedLimits(access, changes);
    const endpoint = await updateEndpoint(engine, access.account, call.parameters[0] ?? "", changes);
    return jsonReply(endpointParts(engine, endpoint));
  };

  /** Presents records with what the query asks for. Throws INVALID_QUERY. */
  function including({ query, dialect }: Call): (endpoint: Endpoint) => Promise<() => Part[]> {
    const asked = parseQuery(query);
    const template = asked.flag("includeTemplate");
    const withWorkers = asked.flag("includeWorkers");
    const runtime = runtimes(engine);
    return async (endpoint) => {
      const workers = withWorkers ? await endpointWorkers(engine, endpoint.id) : undefined;
      return endpointRecord(engine, endpoint, { template, runtime, workers, dialect });
    };
  }

  async function* records(call: Call, account: string) {
    const present = including(call);
    for (const id of endpointsOf(engine, account).map((endpoint) => endpoint.id)) {
      // One that was deleted meanwhile is left out.
      const endpoint = findEndpoint(engine, account, id);
      if (endpoint === undefined) continue;
      yield await present(endpoint);
    }
  }

  return [
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/endpoints",
      async handle(call, access) {
        const given = await parseBody(context, call, CREATE_ENDPOINT);
        refuseRaisedLimits(access, given);
        const endpoint = await createEndpoint(engine, access.account, given);
        return jsonReply(endpointParts(engine, endpoint));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints",
      handle: (call, { account }) => listReply(call, context.budgets.answers.clients, records(call, account)),
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}",
      async handle(call, { account }) {
        const endpoint = endpointOf(engine, account, call.parameters[0] ?? "");
        const record = await including(call)(endpoint);
        return jsonReply(record());
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
