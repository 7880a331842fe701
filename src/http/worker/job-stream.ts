import { append } from "../../engine/append.ts";
import { cutOff } from "../../engine/cut-off.ts";
import { readBody } from "../body.ts";
import { callingWorker, type HttpContext } from "../context.ts";
import { jsonReply } from "../reply.ts";
import type { Route } from "../route.ts";
import { parseYield } from "./chunk.ts";
import { REPORT_LIMIT, unkept } from "./unkept.ts";

/**
 * What a job has put out so far (wire-facts 1.5). Late and foreign yields are answered 200 and change
 * nothing. One that cannot be kept ends its job FAILED, and its worker is told to stop.
 */
export function jobStreamRoute(context: HttpContext): Route {
  return {
    methods: ["POST"],
    path: "/v2/{endpoint}/job-stream/{worker}/{job}",
    async handle(call) {
      const worker = callingWorker(context, call);
      const job = call.parameters[2] ?? "";
      try {
        using body = await readBody(call, context.bodies.workers, REPORT_LIMIT);
        const chunks = await parseYield(body.bytes);
        await append(context.engine, { worker, job, attempt: undefined, chunks });
      } catch (error) {
        const reason = unkept("chunk", error);
        await cutOff(context.engine, { worker, job, attempt: undefined, reason });
      }
      return jsonReply(["{}"]);
    },
  };
}
