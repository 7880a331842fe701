import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { jsonReply } from "../reply.ts";
import type { Route } from "../route.ts";
import { submitCall } from "./submit.ts";

/** Spec 4.A, run. */
export function runRoute(context: HttpContext): Route {
  return clientRoute(context, {
    operation: "run",
    methods: ["POST"],
    path: "/v2/{endpoint}/run",
    async handle(call, endpoint) {
      const { id, state } = await submitCall(context, call, endpoint, "run");
      return jsonReply([`{"id":"${id}","status":"${state}"}`]);
    },
  });
}
