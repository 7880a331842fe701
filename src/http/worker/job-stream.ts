import { append } from "../../engine/append.ts";
import { MB, readBody } from "../body.ts";
import { callingWorker, type HttpContext } from "../context.ts";
import { jsonReply } from "../reply.ts";
import type { Route } from "../route.ts";
import { parseYield } from "./chunk.ts";

/** A yield larger than a chunk is split; this is how large it may be as a whole. */
const YIELD_LIMIT = 25 * MB;

/**
 * What a job has put out so far (wire-facts 1.5). Late and foreign yields are answered 200 and change
 * nothing.
 */
export function jobStreamRoute(context: HttpContext): Route {
  return {
    methods: ["POST"],
    path: "/v2/{endpoint}/job-stream/{worker}/{job}",
    async handle(call) {
      const worker = callingWorker(context, call);
      const job = call.parameters[2] ?? "";
      const chunks = await parseYield(await readBody(call, YIELD_LIMIT));
      await append(context.engine, { worker, job, attempt: undefined, chunks });
      return jsonReply(["{}"]);
    },
  };
}
