import { z } from "zod";
import type { Endpoint } from "../../domain/endpoint.ts";
import { createEndpoint, deleteEndpoint, endpointOf, endpointsOf } from "../../engine/records/endpoints.ts";
import { accountRoute } from "../account-route.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue, noContent } from "../reply.ts";
import type { Route } from "../route.ts";
import { LIMIT_FIELDS } from "./limit-fields.ts";
import { parseBody } from "./parse-body.ts";

const workers = z.int().min(0).max(10_000);

const CREATE_ENDPOINT = z.strictObject({
  name: z.string().min(1, "must not be empty").max(191),
  templateId: z.string().optional(),
  workersMin: workers.optional(),
  workersMax: workers.optional(),
  idleTimeout: z.int().min(1).max(3_600).optional(),
  ...LIMIT_FIELDS,
});

/** Endpoints: make, list, read, delete. */
export function endpointRoutes(context: HttpContext): Route[] {
  const { engine } = context;
  return [
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/endpoints",
      async handle(call, account) {
        const given = await parseBody(call, CREATE_ENDPOINT);
        return jsonValue(presentEndpoint(await createEndpoint(engine, account, given)));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints",
      handle(_call, account) {
        return jsonValue(endpointsOf(engine, account).map(presentEndpoint));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}",
      handle(call, account) {
        return jsonValue(presentEndpoint(endpointOf(engine, account, call.parameters[0] ?? "")));
      },
    }),
    accountRoute(context, {
      methods: ["DELETE"],
      path: "/v1/endpoints/{endpoint}",
      async handle(call, account) {
        await deleteEndpoint(engine, account, call.parameters[0] ?? "");
        return noContent();
      },
    }),
  ];
}

function presentEndpoint({ account: _account, createdAt, ...endpoint }: Endpoint): object {
  return { ...endpoint, createdAt: new Date(createdAt).toISOString() };
}
