import { ForebayError } from "../domain/errors.ts";
import { followReading, type Reading } from "../engine/follow-reading.ts";
import type { Call } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { BEGINNING, COMMENT, eventStream } from "./event-stream.ts";
import type { Part, Reply } from "./reply.ts";

/**
 * A reading as Server-Sent Events of this name: its present state, then each change, at most once a second.
 * An error ends the stream: the reader connects again, and that call gets the error.
 */
export function liveReading(
  { engine, auth }: HttpContext,
  call: Call,
  event: string,
  reading: Reading,
): Reply {
  const silence = engine.durations.streamSilence;

  async function* events(): AsyncGenerator<Part> {
    yield BEGINNING;
    using held = auth.held(call.request);
    try {
      for await (const text of followReading(engine, reading, { silence, signal: held.signal })) {
        yield text === undefined ? COMMENT : `event: ${event}\ndata: ${text}\n\n`;
      }
    } catch (error) {
      if (!(error instanceof ForebayError)) throw error;
    }
  }
  return eventStream(call, silence, {}, events);
}
