import { health } from "../../engine/health.ts";
import { clientEndpoint, type HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";

/** Spec 4.A, health; the worker counts beside idle and running are those that the public SDKs read. */
export function healthRoute(context: HttpContext): Route {
  return {
    methods: ["GET"],
    path: "/v2/{endpoint}/health",
    async handle(call) {
      const { counts, workers } = await health(context.engine, clientEndpoint(context, call).id);
      return jsonValue({
        jobs: {
          completed: counts.completed,
          failed: counts.failed,
          inProgress: counts.running,
          inQueue: counts.queued,
          retried: counts.retried,
        },
        workers,
      });
    },
  };
}
