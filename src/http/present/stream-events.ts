import { ForebayError } from "../../domain/errors.ts";
import type { Engine } from "../../engine/engine.ts";
import type { StreamNews } from "../../engine/follow-stream.ts";
import type { AnswerRoom } from "../answer-room.ts";
import { COMMENT } from "../event-stream.ts";
import type { Part } from "../reply.ts";
import { eventId, LAST_EVENT } from "./event-id.ts";
import { chunkPart, errorPart } from "./payload-part.ts";

/** After how long a reader is to come back, ms; it also makes the head leave at once. */
const BEGINNING = "retry: 1000\n\n";

/**
 * What a live reader of a job gets: its chunks under their numbers, `restart` when another attempt puts it
 * out anew, and `end` with its final state. Where the last event is missing the reader is to come back: it
 * is told then what has happened.
 */
export async function* streamEvents(
  engine: Engine,
  room: AnswerRoom,
  news: AsyncIterable<StreamNews>,
): AsyncGenerator<Part> {
  yield BEGINNING;
  try {
    for await (const told of news) yield* eventsOf(engine, room, told);
  } catch (error) {
    // The next call is answered with it, and with its status.
    if (!(error instanceof ForebayError)) throw error;
  }
}

async function* eventsOf(engine: Engine, room: AnswerRoom, told: StreamNews): AsyncGenerator<Part> {
  const { job, chunks, next, isLast, isAnew } = told;
  if (isAnew) yield `event: restart\ndata: {"id":"${job.id}","status":"${job.state}"}\n\n`;
  let small: Part[] = [];
  for (const [index, payload] of chunks.entries()) {
    const number = next - chunks.length + index;
    const entering = room.add(payload);
    if (entering !== undefined) await entering;
    const chunk = onOneLine(await chunkPart(engine, payload, number));
    small.push(`id: ${eventId({ number, attempt: job.attempt })}\ndata: `);
    if (chunk.length <= LARGE) {
      small.push(chunk, "\n\n");
      continue;
    }
    yield joined(small);
    small = [];
    yield* room.pieces([chunk, "\n\n"]);
    room.leave();
  }
  if (small.length > 0) yield joined(small);
  room.leave();
  if (isLast) {
    const { id, state, error } = job;
    yield `id: ${LAST_EVENT}\nevent: end\ndata: {"id":"${id}","status":"${state}"`;
    if (error !== undefined) await room.add(error);
    if (error !== undefined) yield joined([',"error":', onOneLine(await errorPart(engine, error))]);
    yield "}\n\n";
  } else if (chunks.length === 0 && !isAnew) yield COMMENT;
}

/** Smaller chunks leave together, bytes. */
const LARGE = 65_536;

const LINE_FEED = "\n".charCodeAt(0);
const CARRIAGE_RETURN = "\r".charCodeAt(0);

/** JSON has ends of lines between its tokens only, where a blank is as good. */
function onOneLine(json: Part): Part {
  if (typeof json === "string") return json.replace(/[\r\n]/g, " ");
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? 0x20 : byte));
}

function joined(parts: readonly Part[]): Part {
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}
