import { ForebayError } from "../../domain/errors.ts";
import { followStream, type StreamNews, type StreamPlace } from "../../engine/follow-stream.ts";
import { status } from "../../engine/status.ts";
import { AnswerRoom } from "../answer-room.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { BEGINNING, type ConnectedParts, DirectEvents, eventStream } from "../event-stream.ts";
import { lastEventOf } from "../present/event-id.ts";
import { smallEvents, streamEvents } from "../present/stream-events.ts";
import { parseQuery } from "../query.ts";
import { noContent, type Reply } from "../reply.ts";

/** Numbers in a query have at most 15 digits. */
export const MAX_FROM = 999_999_999_999_999;

/**
 * A stream that pushes (design, rows 1 and 2): the chunks as Server-Sent Events, from `Last-Event-ID` or
 * `from` on. It consumes nothing. A reader that has had the last event gets 204: nothing more will come.
 */
export async function liveStream(
  context: HttpContext,
  call: Call,
  endpoint: string,
  id: string,
): Promise<Reply> {
  const { engine, auth } = context;
  const query = parseQuery(call.query);
  const from = query.integer("from", 0, MAX_FROM) ?? 0;
  if (query.text("wait") !== undefined) {
    throw new ForebayError(
      "INVALID_QUERY",
      "wait is not supported for a live stream, which lasts until its job ends. Leave it out.",
    );
  }
  const last = lastEventOf(call);
  await status(engine, endpoint, id);
  if (last === "end") return noContent();
  const place: StreamPlace =
    last === undefined ? { from, attempt: undefined } : { from: last.number + 1, attempt: last.attempt };
  const silence = engine.durations.streamSilence;
  const room = new AnswerRoom(call, context.answers.clients);

  async function* events(): ConnectedParts {
    using held = auth.held(call.request);
    const { signal } = held;
    const direct = new DirectEvents();
    const onChunks = (update: StreamNews): boolean => direct.offer(() => smallEvents(update));
    direct.connect(yield BEGINNING);
    const news = followStream(engine, { endpoint, id, place, silence, signal, onChunks });
    yield* streamEvents(engine, room, news);
  }
  const reply = eventStream(call, silence, {}, events);
  room.closeWhenAnswered();
  return reply;
}
