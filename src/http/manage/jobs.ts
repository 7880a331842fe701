import { jobBody } from "../../engine/status.ts";
import { endpointOf } from "../../engine/records/find-endpoint.ts";
import { timeline } from "../../engine/timeline.ts";
import { payloadReply } from "../answer-room.ts";
import { accountRoute } from "../account-route.ts";
import type { HttpContext } from "../context.ts";
import { scanJson } from "../json/json-scan.ts";
import { payloadBytes } from "../present/payload-part.ts";
import { timelineParts } from "../present/timeline.ts";
import type { Route } from "../route.ts";

/** What an operator asks of a job beside its record: its timeline, and what was submitted. */
export function jobRoutes(context: HttpContext): Route[] {
  const { engine } = context;
  return [
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}/jobs/{job}",
      async handle(call, { account }) {
        const [endpointId = "", id = ""] = call.parameters;
        const endpoint = endpointOf(engine, account, endpointId);
        const found = await timeline(engine, endpoint.id, id);
        return payloadReply(call, context.answers.clients, [found.job.progress], () =>
          timelineParts(engine, found),
        );
      },
    }),
    // The input as it was submitted, byte for byte; nothing else of the submission.
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}/jobs/{job}/input",
      async handle(call, { account }) {
        const [endpointId = "", id = ""] = call.parameters;
        const endpoint = endpointOf(engine, account, endpointId);
        const payload = await jobBody(engine, endpoint.id, id);
        return payloadReply(call, context.answers.clients, [payload], async () => [
          await inputIn(id, await payloadBytes(engine, payload)),
        ]);
      },
    }),
  ];
}

async function inputIn(id: string, body: Uint8Array): Promise<Uint8Array> {
  const { children } = await scanJson(body, 1);
  const input = children.find(({ key }) => key === "input");
  // Nothing is taken in without one.
  if (input === undefined) throw new Error(`job ${id} has no input`);
  return body.subarray(input.start, input.end);
}
