import { ForebayError } from "../domain/errors.ts";
import { followReading, type Reading } from "../engine/follow-reading.ts";
import type { Call } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { COMMENT, eventStream } from "./event-stream.ts";
import type { Part, Reply } from "./reply.ts";

/** After how long a reader is to come back, ms; it also makes the head leave at once. */
const BEGINNING = "retry: 1000\n\n";

/**
 * What is read, as Server-Sent Events of this name: as it is now, and then, at most once a second, as it has
 * changed. A stream that ends is to be opened again: that call is told why.
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
