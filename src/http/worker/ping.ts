import { seen } from "../../engine/seen.ts";
import { ACCEPTED } from "../answers/worker-protocol.ts";
import { plainText } from "../parameters.ts";
import { jsonReply } from "../reply.ts";
import { workerOperation } from "../worker-operation.ts";

/**
 * The heartbeat of a worker, with the ids of the jobs it has (wire-facts 1.6). A ping may lag a beat behind,
 * so one that does not list a job counts only some beats after the hand-out, and only together with the next
 * (race R11).
 */
export const ping = workerOperation({
  id: "ping",
  method: "GET",
  path: "/v2/{endpoint}/ping/{worker}",
  summary: "Show that the worker lives",
  query: { job_id: plainText("The ids of the jobs that it has, joined by commas.") },
  answers: { 200: { description: "It was seen.", json: ACCEPTED } },
  async handle({ engine }, _call, { worker, query }) {
    const ids = query().job_id?.split(",") ?? [];
    await seen(engine, worker, {
      shown: { kind: "these", ids },
      crossing: 2,
      denials: 2,
      call: "ping",
    });
    return jsonReply(["{}"]);
  },
});
