import { ForebayError } from "../domain/errors.ts";
import { type Call, requestLog } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { logFault, shownError } from "./error-reply.ts";
import { errorText } from "./error-shapes.ts";
import { goingReply } from "./going-reply.ts";
import { JSON_TYPE, type Part, type Reply } from "./reply.ts";
import type { Revocable } from "./while-known.ts";

// The runtime sends the headers with the first byte of the body. So a reply whose content comes late begins
// with a blank, which JSON allows.
const BLANK = " ";

/** 200 with headers that leave at once, and a JSON document whose parts follow one after the other. */
export function heldReply(
  { engine }: HttpContext,
  call: Call,
  headers: Readonly<Record<string, string>>,
  document: () => AsyncIterable<Part>,
): Reply {
  async function* parts(): AsyncGenerator<Part> {
    try {
      yield BLANK;
      yield* document();
    } catch (error) {
      const log = requestLog(engine.log, call.requestId);
      if (error instanceof ForebayError) yield errorText(shownError(error, log));
      else {
        logFault(error, log);
        // The status has left: only a broken connection shows that there is no answer.
        throw error;
      }
    }
  }
  return goingReply(call, { ...JSON_TYPE, ...headers }, parts);
}

/**
 * 200 with lines of JSON, each sent as soon as it exists and the one before has left. It breaks off when the
 * key is revoked. `held` is disposed of at the end.
 */
export function ndjsonReply(
  call: Call,
  held: Revocable,
  lines: AsyncIterable<Uint8Array>,
  headers: Readonly<Record<string, string>>,
): Reply {
  async function* parts(): AsyncGenerator<Part> {
    yield BLANK;
    yield* lines;
  }
  const reply = goingReply(call, { "content-type": "application/x-ndjson", ...headers }, parts);
  void call.answered?.then(() => held[Symbol.dispose]());
  return reply;
}
