import { ForebayError } from "../../domain/errors.ts";
import { jobLogs, workerLogs } from "../../engine/worker-logs.ts";
import { endpointOperation } from "../account-operation.ts";
import { ndjsonReply } from "../late-reply.ts";
import { flag, integer, plainText, type QueryParameter } from "../parameters.ts";
import { dateText } from "../answers/members.ts";
import type { LogLineAnswer } from "../answers/worker.ts";

const MOST_LINES = 1_000_000;

const LINES = {
  description: "The lines, the oldest first; a blank can stand before the first one.",
  mediaType: "application/x-ndjson",
  headers: {
    "X-Worker-Id": { description: "The worker whose lines they are.", schema: { type: "string" } },
  },
};

/** From when on lines are wanted. */
export const SINCE: QueryParameter<number | undefined> = {
  ...plainText("Only what was printed from this time on.", { format: "date-time" }),
  read: (query, name) => parseTime(name, query.text(name)),
};

const ofWorker = endpointOperation({
  id: "workerLogs",
  method: "GET",
  path: "/v1/endpoints/{endpoint}/workers/{worker}/logs",
  access: "manage",
  tag: "endpoints",
  summary: "Read the logs of a worker",
  description:
    "Of workers that Forebay started, at the server that did: while they run, and for a while after " +
    "their end. A line of JSON for each line: `time`, `stream` (`stdout`, `stderr`, or `forebay` for " +
    "words on the log itself) and `line`.",
  query: {
    tail: integer(0, MOST_LINES, "Only so many of the last lines. Default: all."),
    since: SINCE,
    follow: {
      ...flag("Goes on with what is printed, until the worker has ended. Default: false."),
      schema: { type: "boolean" },
    },
  },
  answers: { 200: LINES },
  errors: ["WORKER_NOT_FOUND", "NO_LOGS"],
  handle({ engine, auth }, call, { endpoint: { id: endpoint }, query }) {
    const [, worker = ""] = call.parameters;
    const { tail, since, follow } = query();
    const held = auth.held(call.request);
    const { signal } = held;
    const lines = workerLogs(engine, { endpoint, worker, tail, since, follow, signal });
    return ndjsonReply(call, held, lines, { "x-worker-id": worker });
  },
});

const ofJob = endpointOperation({
  id: "jobLogs",
  method: "GET",
  path: "/v1/endpoints/{endpoint}/jobs/{job}/logs",
  access: "manage",
  tag: "endpoints",
  summary: "Read what was printed while a job ran",
  description:
    "What the worker of the last attempt printed, from a second before the hand-out until a second " +
    "after the end. Lines of other jobs that it ran meanwhile are among them.",
  answers: { 200: LINES },
  errors: ["WORKER_NOT_FOUND", "NO_LOGS"],
  async handle({ engine, auth }, call, { endpoint }) {
    const [, job = ""] = call.parameters;
    const { worker, lines } = await jobLogs(engine, endpoint.id, job);
    const note = firstLine(engine.clock.now(), `Worker ${worker} printed this while it had job ${job}.`);
    return ndjsonReply(call, auth.held(call.request), behind(note, lines), { "x-worker-id": worker });
  },
});

/** Logs of workers: one line of JSON for each line that a worker printed. */
export const LOG_OPERATIONS = [ofWorker, ofJob] as const;

/** A time, ms since 1970. Throws INVALID_QUERY. */
export function parseTime(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const isTime = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,18}(Z|[+-][0-9]{2}:[0-9]{2})$/.test(given);
  const time = isTime ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new ForebayError("INVALID_QUERY", `${name} is invalid; must be a time like 2026-01-31T12:00:00Z.`);
}

/** Says whose lines follow: several jobs can run on one worker, and a line does not name its job. */
function firstLine(now: number, sentence: string): Uint8Array {
  const line = `${sentence} Lines of other jobs that it had meanwhile are among them.`;
  const note: LogLineAnswer = { time: dateText(now), stream: "forebay", line };
  return Buffer.from(`${JSON.stringify(note)}\n`);
}

async function* behind(first: Uint8Array, lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* lines;
}
