import { health } from "../../engine/health.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { presentWorkerCounts } from "../present/worker-counts.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";

/** Spec 4.A, health; the worker counts beside idle and running are those that the public SDKs read. */
export function healthRoute(context: HttpContext): Route {
  return clientRoute(context, {
    operation: "health",
    methods: ["GET"],
    path: "/v2/{endpoint}/health",
    async handle(_call, endpoint) {
      const { counts, workers } = await health(context.engine, endpoint.id);
      return jsonValue({
        jobs: {
          completed: counts.completed,
          failed: counts.failed,
          inProgress: counts.running,
          inQueue: counts.queued,
          retried: counts.retried,
        },
        workers: presentWorkerCounts(workers),
      });
    },
  });
}
