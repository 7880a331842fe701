import type { Job } from "../../domain/job.ts";
import { versionOf } from "../../domain/worker.ts";
import { jobBody } from "../../engine/job-body.ts";
import { endpointOf } from "../../engine/records/endpoints.ts";
import { status } from "../../engine/status.ts";
import { accountRoute } from "../account-route.ts";
import type { HttpContext } from "../context.ts";
import { scanJson } from "../json/json-scan.ts";
import { payloadPart } from "../present/payload-part.ts";
import { jsonReply, jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";
import { dateText } from "./date-text.ts";

/** What an operator asks of a job beside its record: how it went, and what was submitted. */
export function jobRoutes(context: HttpContext): Route[] {
  const { engine } = context;
  return [
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}/jobs/{job}",
      async handle(call, { account }) {
        const [endpointId = "", id = ""] = call.parameters;
        const endpoint = endpointOf(engine, account, endpointId);
        return jsonValue(presentTimeline(await status(engine, endpoint.id, id)));
      },
    }),
    // The input as it was submitted, byte for byte; nothing else of the submission.
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}/jobs/{job}/input",
      async handle(call, { account }) {
        const [endpointId = "", id = ""] = call.parameters;
        const endpoint = endpointOf(engine, account, endpointId);
        const body = Buffer.from(await payloadPart(engine, await jobBody(engine, endpoint.id, id)));
        const { children } = await scanJson(body, 1);
        const input = children.find(({ key }) => key === "input");
        // Nothing is taken in without one.
        if (input === undefined) throw new Error(`job ${id} has no input`);
        return jsonReply([body.subarray(input.start, input.end)]);
      },
    }),
  ];
}

/** Times and worker are those of the newest attempt (design, row 23). */
function presentTimeline({ id, state, attempt, losses, queuedAt, takenAt, endedAt, worker }: Job): object {
  return {
    id,
    status: state,
    attempt,
    retries: losses,
    queuedAt: dateText(queuedAt),
    startedAt: dateText(takenAt),
    endedAt: dateText(endedAt),
    workerId: worker,
    version: worker === undefined ? undefined : versionOf(worker),
  };
}
