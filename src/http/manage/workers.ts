import { z } from "zod";
import { replaceWorker, stopWorker } from "../../engine/ask-worker.ts";
import { endpointWorkers } from "../../engine/endpoint-workers.ts";
import { endpointOf } from "../../engine/records/find-endpoint.ts";
import { createWorkerToken } from "../../engine/records/worker-tokens.ts";
import { workerEnvironment } from "../../engine/worker-environment.ts";
import { accountRoute } from "../account-route.ts";
import { type AdmissionAnswer, presentWorker, type WorkersAnswer } from "../answers/worker.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue, noContent } from "../reply.ts";
import type { Route } from "../route.ts";
import { pageOf, placeBy } from "./page.ts";
import { parseBody } from "./parse-body.ts";

export const CREATE_WORKER = z.strictObject({ many: z.boolean().default(false) });

/** The workers of an endpoint: admit one that Forebay does not start, list, stop, replace. */
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
        return jsonValue({ workerId: created.record.id, env } satisfies AdmissionAnswer);
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}/workers",
      async handle(call, { account }) {
        const endpoint = endpointOf(engine, account, call.parameters[0] ?? "");
        const { items, nextCursor } = pageOf(call, await endpointWorkers(engine, endpoint.id), (worker) =>
          placeBy(worker.startedAt ?? 0, worker.id),
        );
        return jsonValue({ workers: items.map(presentWorker), nextCursor } satisfies WorkersAnswer);
      },
    }),
    accountRoute(context, {
      methods: ["DELETE"],
      path: "/v1/endpoints/{endpoint}/workers/{worker}",
      async handle(call, { account }) {
        const [id = "", worker = ""] = call.parameters;
        await stopWorker(engine, endpointOf(engine, account, id).id, worker);
        return noContent();
      },
    }),
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/workers/{worker}/replace",
      async handle(call, { account }) {
        const [id = "", worker = ""] = call.parameters;
        await replaceWorker(engine, endpointOf(engine, account, id).id, worker);
        return noContent();
      },
    }),
  ];
}
