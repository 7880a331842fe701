import { seen } from "../../engine/seen.ts";
import { callingWorker, type HttpContext } from "../context.ts";
import { parseQuery } from "../query.ts";
import { jsonReply } from "../reply.ts";
import type { Route } from "../route.ts";

/**
 * The heartbeat of a worker, with the ids of the jobs it has (wire-facts 1.6). A ping may lag a beat behind,
 * so one that does not list a job counts only some beats after the hand-out, and only together with the next
 * (race R11).
 */
export function pingRoute(context: HttpContext): Route {
  return {
    methods: ["GET"],
    path: "/v2/{endpoint}/ping/{worker}",
    async handle(call) {
      const worker = callingWorker(context, call);
      const ids = parseQuery(call.query).text("job_id")?.split(",") ?? [];
      await seen(context.engine, worker, {
        shown: { kind: "these", ids },
        crossing: 2,
        denials: 2,
        call: "ping",
      });
      return jsonReply(["{}"]);
    },
  };
}
