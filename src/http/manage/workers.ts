import { z } from "zod";
import { endpointOf } from "../../engine/records/endpoints.ts";
import { createWorkerToken } from "../../engine/records/worker-tokens.ts";
import { workerEnvironment } from "../../engine/worker-environment.ts";
import { accountRoute } from "../account-route.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";
import { parseBody } from "./parse-body.ts";

export const CREATE_WORKER = z.strictObject({ many: z.boolean().default(false) });

/** Admits a worker that Forebay does not start, and answers the environment with which it connects. */
export function workerRoutes(context: HttpContext): Route[] {
  const { engine, publicUrl } = context;
  return [
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/workers",
      async handle(call, { account }) {
        const endpoint = endpointOf(engine, account, call.parameters[0] ?? "");
        const { many } = await parseBody(context, call, CREATE_WORKER);
        const created = await createWorkerToken(engine, endpoint, { many, managed: false });
        const env = workerEnvironment(created, publicUrl(), engine.durations.pingInterval);
        return jsonValue({ workerId: created.record.id, env });
      },
    }),
  ];
}
