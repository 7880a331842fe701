import type { Timeline, TimelineAttempt } from "../../domain/timeline.ts";
import type { Payload } from "../../domain/payload.ts";
import type { Engine } from "../../engine/engine.ts";
import { jobBody } from "../../engine/status.ts";
import { timeline } from "../../engine/timeline.ts";
import { endpointOperation } from "../account-operation.ts";
import { payloadReply } from "../answer-room.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { scanJson } from "../json/json-scan.ts";
import { JOB_INPUT } from "../answers/job.ts";
import {
  type AttemptAnswer,
  presentAttempt,
  presentTimeline,
  TIMELINE,
  type TimelineAnswer,
} from "../answers/timeline.ts";
import { objectParts, payloadBytes, payloadPartOr } from "../present/payload-part.ts";
import { elementParts } from "../present/taken-job.ts";
import type { Part, Reply } from "../reply.ts";

const read = endpointOperation({
  id: "readJob",
  method: "GET",
  path: "/v1/endpoints/{endpoint}/jobs/{job}",
  access: "read",
  tag: "endpoints",
  summary: "Read how a job went, and why it waits",
  description:
    "Its attempts with their workers, versions and ends, cold starts, its place in the queue and why " +
    "it waits, and its webhooks.",
  answers: { 200: { description: "How it went.", json: TIMELINE } },
  async handle({ engine, answers }, call, { endpoint }) {
    const [, id = ""] = call.parameters;
    const found = await timeline(engine, endpoint.id, id);
    return payloadReply(call, answers.clients, [found.job.progress], () => timelineParts(engine, found));
  },
});

const readInput = endpointOperation({
  id: "readJobInput",
  method: "GET",
  path: "/v1/endpoints/{endpoint}/jobs/{job}/input",
  access: "read",
  tag: "endpoints",
  summary: "Read a job's input",
  description: "There as long as the job's record is; nothing else of the submission comes with it.",
  answers: { 200: { description: "The input.", json: JOB_INPUT } },
  // The input as it was submitted, byte for byte.
  async handle(context, call, { endpoint }) {
    const [, id = ""] = call.parameters;
    return inputReply(context, call, id, await jobBody(context.engine, endpoint.id, id));
  },
});

/** What an operator reads of a job besides its record: its timeline, and its input. */
export const JOB_OPERATIONS = [read, readInput] as const;

/** The input in the body of a submission, byte for byte. */
export function inputReply(
  { engine, answers }: HttpContext,
  call: Call,
  id: string,
  body: Payload,
): Promise<Reply> {
  return payloadReply(call, answers.clients, [body], async () => [
    await inputIn(id, await payloadBytes(engine, body)),
  ]);
}

/** The timeline of a job as JSON. Unknown members are left out, never null. */
async function timelineParts(engine: Engine, timeline: Timeline): Promise<Part[]> {
  const { progress } = timeline.job;
  const shown = progress && (await payloadPartOr(engine, progress, undefined));
  return objectParts<TimelineAnswer, "attempts" | "progress">(presentTimeline(timeline), {
    attempts: ["[", ...elementParts(timeline.attempts.map(attemptParts)), "]"],
    progress: shown === undefined ? undefined : [shown],
  });
}

/** What the worker reported with its error is passed on as it came. */
function attemptParts(attempt: TimelineAttempt): Part[] {
  const { output } = attempt;
  return objectParts<AttemptAnswer, "output">(presentAttempt(attempt), {
    output: output === undefined ? undefined : [output],
  });
}

async function inputIn(id: string, body: Uint8Array): Promise<Uint8Array> {
  const { children } = await scanJson(body, 1);
  const input = children.find(({ key }) => key === "input");
  // No job is accepted without one.
  if (input === undefined) throw new Error(`job ${id} has no input`);
  return body.subarray(input.start, input.end);
}
