import { health } from "../../engine/health.ts";
import { presentHealth } from "../answers/queue.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";

/** Spec 4.A, health; the worker counts beside idle and running are those that the public SDKs read. */
export function healthRoute(context: HttpContext): Route {
  return clientRoute(context, {
    operation: "health",
    methods: ["GET"],
    path: "/v2/{endpoint}/health",
    async handle(_call, endpoint) {
      return jsonValue(presentHealth(await health(context.engine, endpoint.id)));
    },
  });
}
