import type { Timeline, TimelineAttempt } from "../../domain/timeline.ts";
import type { Engine } from "../../engine/engine.ts";
import { jobBody } from "../../engine/status.ts";
import { endpointOf } from "../../engine/records/find-endpoint.ts";
import { timeline } from "../../engine/timeline.ts";
import { payloadReply } from "../answer-room.ts";
import { accountRoute } from "../account-route.ts";
import {
  type AttemptAnswer,
  presentAttempt,
  presentTimeline,
  type TimelineAnswer,
} from "../answers/timeline.ts";
import type { HttpContext } from "../context.ts";
import { scanJson } from "../json/json-scan.ts";
import { objectParts, payloadBytes, payloadPartOr } from "../present/payload-part.ts";
import { elementParts } from "../present/taken-job.ts";
import type { Part } from "../reply.ts";
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

/** The timeline of a job as JSON. What is not known is left out, never null. */
async function timelineParts(engine: Engine, timeline: Timeline): Promise<Part[]> {
  const { progress } = timeline.job;
  const shown = progress && (await payloadPartOr(engine, progress, undefined));
  return objectParts<TimelineAnswer, "attempts" | "progress">(presentTimeline(timeline), {
    attempts: ["[", ...elementParts(timeline.attempts.map(attemptParts)), "]"],
    progress: shown === undefined ? undefined : [shown],
  });
}

/** What the worker reported beside its error passes as it came. */
function attemptParts(attempt: TimelineAttempt): Part[] {
  const { output } = attempt;
  return objectParts<AttemptAnswer, "output">(presentAttempt(attempt), {
    output: output === undefined ? undefined : [output],
  });
}

async function inputIn(id: string, body: Uint8Array): Promise<Uint8Array> {
  const { children } = await scanJson(body, 1);
  const input = children.find(({ key }) => key === "input");
  // Nothing is taken in without one.
  if (input === undefined) throw new Error(`job ${id} has no input`);
  return body.subarray(input.start, input.end);
}
