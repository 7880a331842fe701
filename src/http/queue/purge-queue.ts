import { purge } from "../../engine/purge.ts";
import type { PurgedAnswer } from "../answers/queue.ts";
import { passOverBody } from "../body.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";

/** Spec 4.A, purge-queue. The body, if there is one, says nothing. */
export function purgeQueueRoute(context: HttpContext): Route {
  return clientRoute(context, {
    operation: "purge-queue",
    methods: ["POST"],
    path: "/v2/{endpoint}/purge-queue",
    async handle(call, endpoint) {
      await passOverBody(call);
      const removed = await purge(context.engine, endpoint.id);
      return jsonValue({ removed, status: "completed" } satisfies PurgedAnswer);
    },
  });
}
