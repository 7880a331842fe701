import { ForebayError } from "../../domain/errors.ts";
import { isStored, sizeOfAll } from "../../domain/payload.ts";
import type { Engine } from "../../engine/engine.ts";
import type { StreamNews } from "../../engine/follow-stream.ts";
import type { AnswerRoom } from "../answer-room.ts";
import { COMMENT } from "../event-stream.ts";
import type { Part } from "../reply.ts";
import { eventId, LAST_EVENT } from "./event-id.ts";
import { chunkPart, errorPart } from "./payload-part.ts";

/**
 * The events for a live reader of a job: its chunks by number, `restart` when another attempt yields them
 * again, and `end` with the final state. If the stream ends without `end`, the reader must reconnect. That
 * call gets the error.
 */
export async function* streamEvents(
  engine: Engine,
  room: AnswerRoom,
  news: AsyncIterable<StreamNews>,
): AsyncGenerator<Part> {
  try {
    for await (const update of news) yield* eventsOf(engine, room, update);
  } catch (error) {
    // The next call gets this error, with its status.
    if (!(error instanceof ForebayError)) throw error;
  }
}

async function* eventsOf(engine: Engine, room: AnswerRoom, update: StreamNews): AsyncGenerator<Part> {
  const { job, chunks, next, isLast, isAnew } = update;
  if (isAnew) yield `event: restart\ndata: {"id":"${job.id}","status":"${job.state}"}\n\n`;
  let small: Part[] = [];
  for (const [index, payload] of chunks.entries()) {
    const entering = room.add(payload);
    if (entering !== undefined) await entering;
    const chunk = onOneLine(await chunkPart(engine, payload, next - chunks.length + index));
    small.push(headOf(update, index));
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

/** The events of chunks that are in memory and small together; undefined for any others. */
export function smallEvents(update: StreamNews): Part | undefined {
  if (sizeOfAll(update.chunks) > LARGE) return undefined;
  const parts: Part[] = [];
  for (const [index, chunk] of update.chunks.entries()) {
    if (isStored(chunk)) return undefined;
    parts.push(headOf(update, index), onOneLine(chunk), "\n\n");
  }
  return joined(parts);
}

function headOf({ job, chunks, next }: StreamNews, index: number): string {
  const number = next - chunks.length + index;
  return `id: ${eventId({ number, attempt: job.attempt })}\ndata: `;
}

/** Smaller chunks are sent together, bytes. */
const LARGE = 65_536;

const LINE_FEED = "\n".charCodeAt(0);
const CARRIAGE_RETURN = "\r".charCodeAt(0);

/** JSON has line breaks only between its tokens, where a blank means the same. */
function onOneLine(json: Part): Part {
  if (typeof json === "string") return json.replace(/[\r\n]/g, " ");
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? 0x20 : byte));
}

function joined(parts: readonly Part[]): Part {
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}
