import { cancel } from "../../engine/cancel.ts";
import { passOverBody } from "../body.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { jsonReply } from "../reply.ts";
import type { Route } from "../route.ts";

/** Spec 4.A, cancel. The body, if there is one, says nothing. */
export function cancelRoute(context: HttpContext): Route {
  return clientRoute(context, {
    operation: "cancel",
    methods: ["POST"],
    path: "/v2/{endpoint}/cancel/{job}",
    async handle(call, endpoint) {
      const [, id = ""] = call.parameters;
      await passOverBody(call);
      const { state } = await cancel(context.engine, endpoint.id, id);
      return jsonReply([`{"id":"${id}","status":"${state}"}`]);
    },
  });
}
