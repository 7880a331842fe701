import { retry } from "../../engine/retry.ts";
import { passOverBody } from "../body.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { jsonReply } from "../reply.ts";
import type { Route } from "../route.ts";

/** Spec 4.A, retry. The body, if there is one, says nothing. */
export function retryRoute(context: HttpContext): Route {
  return clientRoute(context, {
    operation: "retry",
    methods: ["POST"],
    path: "/v2/{endpoint}/retry/{job}",
    async handle(call, endpoint) {
      const [, id = ""] = call.parameters;
      await passOverBody(call);
      const { state } = await retry(context.engine, endpoint.id, id);
      return jsonReply([`{"id":"${id}","status":"${state}"}`]);
    },
  });
}
