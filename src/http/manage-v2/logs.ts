import type { LogLine } from "../../domain/log.ts";
import { workerLogs } from "../../engine/worker-logs.ts";
import { endpointOperation } from "../account-operation.ts";
import { BEGINNING, EVENT_HEADERS } from "../event-stream.ts";
import { goingReply } from "../going-reply.ts";
import { parseTime, SINCE } from "../manage/logs.ts";
import { choice, integer } from "../parameters.ts";
import type { Part } from "../reply.ts";

const LIMIT = { default: 100, max: 5_000 };

/** Where a line comes from, as v2 calls it. */
const SOURCES = ["container", "system"] as const;
type Source = (typeof SOURCES)[number];

/** A line of a log, as v2 shows it. */
interface LogEvent {
  readonly source: Source;
  readonly line: string;
  readonly ts: string;
}

const LAST_EVENT = "Last-Event-ID";

/** The log of a worker as Server-Sent Events. */
export const workerLogsV2 = endpointOperation({
  id: "workerLogsV2",
  method: "GET",
  path: "/v2/serverless/{endpoint}/workers/{worker}/logs",
  access: "manage",
  tag: "managementV2",
  summary: "Follow the logs of a worker",
  description:
    "Of workers that Forebay started, until the worker ends. Each event has the time of its line as `id`, " +
    "and as `data` JSON with `source`, `line` and `ts`. The source `system` is Forebay's own lines.",
  query: {
    source: choice(SOURCES, "Only lines of this source."),
    tail: integer(
      0,
      LIMIT.max,
      `Only so many of the last lines. Default: ${LIMIT.default}. Not with \`since\`.`,
    ),
    since: SINCE,
  },
  headers: {
    [LAST_EVENT]: {
      description: "The `id` of the last event: the stream goes on there. Goes before `since` and `tail`.",
      schema: { type: "string", format: "date-time" },
    },
  },
  answers: { 200: { description: "The lines, the oldest first.", mediaType: "text/event-stream" } },
  errors: ["WORKER_NOT_FOUND", "NO_LOGS"],
  handle({ engine, auth }, call, { endpoint: { id: endpoint }, query }) {
    const [, worker = ""] = call.parameters;
    const { source, tail = LIMIT.default, ...wish } = query();
    const since = parseTime(LAST_EVENT, call.request.headers.get(LAST_EVENT) ?? undefined) ?? wish.since;
    const held = auth.held(call.request);
    const from = since === undefined ? { tail } : { since };
    const lines = workerLogs(engine, { endpoint, worker, ...from, follow: true, signal: held.signal });
    call.isLive = true;
    const reply = goingReply(call, EVENT_HEADERS, () => events(lines, source));
    void call.answered?.then(() => held[Symbol.dispose]());
    return reply;
  },
});

async function* events(pieces: AsyncIterable<Uint8Array>, source: Source | undefined): AsyncGenerator<Part> {
  yield BEGINNING;
  for await (const piece of pieces) {
    const lines = Buffer.from(piece).toString().trimEnd().split("\n");
    const shown = lines.map(eventOf).filter((event) => source === undefined || event.source === source);
    yield shown.map((event) => `id: ${event.ts}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  }
}

function eventOf(text: string): LogEvent {
  const { time, stream, line }: LogLine = JSON.parse(text);
  return { source: stream === "forebay" ? "system" : "container", line, ts: time };
}
