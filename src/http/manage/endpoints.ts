import { z } from "zod";
import type { Endpoint } from "../../domain/endpoint.ts";
import { createEndpoint, deleteEndpoint, endpointOf, endpointsOf } from "../../engine/records/endpoints.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue, noContent } from "../reply.ts";
import type { Route } from "../route.ts";
import { parseBody } from "./parse-body.ts";

const workers = z.int().min(0).max(10_000);

const CREATE_ENDPOINT = z.strictObject({
  name: z.string().min(1, "must not be empty").max(191),
  templateId: z.string().optional(),
  workersMin: workers.optional(),
  workersMax: workers.optional(),
  idleTimeout: z.int().min(1).max(3_600).optional(),
});

/** Endpoints: make, list, read, delete. */
export function endpointRoutes({ engine, auth }: HttpContext): Route[] {
  return [
    {
      methods: ["POST"],
      path: "/v1/endpoints",
      async handle(call) {
        const account = auth.account(call.request);
        const given = await parseBody(call, CREATE_ENDPOINT);
        return jsonValue(presentEndpoint(await createEndpoint(engine, account, given)));
      },
    },
    {
      methods: ["GET"],
      path: "/v1/endpoints",
      handle(call) {
        return jsonValue(endpointsOf(engine, auth.account(call.request)).map(presentEndpoint));
      },
    },
    {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}",
      handle(call) {
        return jsonValue(
          presentEndpoint(endpointOf(engine, auth.account(call.request), call.parameters[0] ?? "")),
        );
      },
    },
    {
      methods: ["DELETE"],
      path: "/v1/endpoints/{endpoint}",
      async handle(call) {
        await deleteEndpoint(engine, auth.account(call.request), call.parameters[0] ?? "");
        return noContent();
      },
    },
  ];
}

function presentEndpoint({ account: _account, createdAt, ...endpoint }: Endpoint): object {
  return { ...endpoint, createdAt: new Date(createdAt).toISOString() };
}
