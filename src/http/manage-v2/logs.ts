import type { LogLine, LogPiece } from "../../domain/log.ts";
import { workerLogPieces } from "../../engine/worker-logs.ts";
import { endpointOperation } from "../account-operation.ts";
import { BEGINNING, EVENT_HEADERS } from "../event-stream.ts";
import { goingReply } from "../going-reply.ts";
import { SINCE } from "../manage/logs.ts";
import { choice, integer } from "../parameters.ts";
import { LAST_EVENT, lastEventOf } from "../present/event-id.ts";
import { noContent, type Part } from "../reply.ts";

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

/** Sets the id from which a reader continues, without an event. */
const END = `id: ${LAST_EVENT}\n\n`;

/** How each line in a log begins. In the middle of a line there is no such text: it would be escaped. */
const START = '{"time":"';

/** The log of a worker as Server-Sent Events. */
export const workerLogsV2 = endpointOperation({
  id: "workerLogsV2",
  method: "GET",
  path: "/v2/serverless/{endpoint}/workers/{worker}/logs",
  access: "manage",
  tag: "managementV2",
  summary: "Follow the logs of a worker",
  description:
    "Of workers that Forebay started, until the worker ends. Each event has as `id` the place behind its " +
    "line, and as `data` JSON with `source`, `line` and `ts`. The source `system` is Forebay's own lines. " +
    "After the last line of an ended worker the id is `end`, for which the answer is 204: readers stop.",
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
    "Last-Event-ID": {
      description:
        "The `id` of the last event: the stream goes on behind it. Goes before `since` and `tail`.",
      schema: { type: "string", pattern: "^([0-9]{1,15}|end)$" },
    },
  },
  answers: {
    200: { description: "The lines, the oldest first.", mediaType: "text/event-stream" },
    204: { description: "The worker has ended, and the reader has all lines." },
  },
  errors: ["WORKER_NOT_FOUND", "NO_LOGS"],
  handle({ engine, auth }, call, { endpoint: { id: endpoint }, query }) {
    const [, worker = ""] = call.parameters;
    const { source, tail = LIMIT.default, ...wish } = query();
    const last = lastEventOf(call);
    if (last === LAST_EVENT) return noContent();
    const held = auth.held(call.request);
    const tailOrSince = wish.since === undefined ? { tail } : { since: wish.since };
    const begin = last === undefined ? tailOrSince : { from: last.number };
    const wanted = { endpoint, worker, ...begin, follow: true, signal: held.signal };
    const pieces = workerLogPieces(engine, wanted);
    call.isLive = true;
    const reply = goingReply(call, EVENT_HEADERS, () => events(pieces, source));
    void call.answered?.then(() => held[Symbol.dispose]());
    return reply;
  },
});

async function* events(pieces: AsyncIterable<LogPiece>, source: Source | undefined): AsyncGenerator<Part> {
  yield BEGINNING;
  for await (const piece of pieces) yield piece.isEnd ? END : [...eventsIn(piece, source)].join("");
}

function* eventsIn({ lines, position }: LogPiece, source: Source | undefined): Generator<string> {
  let end = position;
  for (const text of Buffer.from(lines).toString().trimEnd().split("\n")) {
    end += Buffer.byteLength(text) + 1;
    // The first one can be the rest of a line, for an id that is of no event.
    if (!text.startsWith(START)) continue;
    const event = eventOf(text);
    const isShown = source === undefined || event.source === source;
    if (isShown) yield `id: ${end}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}

function eventOf(text: string): LogEvent {
  const { time, stream, line }: LogLine = JSON.parse(text);
  return { source: stream === "forebay" ? "system" : "container", line, ts: time };
}
