import { ForebayError } from "../domain/errors.ts";
import { type Call, requestLog } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { errorText, logFault, toldError } from "./error-reply.ts";
import { goingReply } from "./going-reply.ts";
import { JSON_TYPE, type Part, type Reply } from "./reply.ts";

/**
 * 200 with headers that leave at once, and a JSON document whose parts follow one after the other. The
 * runtime sends the headers with the first byte of the body, so a blank always comes first; JSON allows it.
 */
export function heldReply(
  { engine }: HttpContext,
  call: Call,
  headers: Readonly<Record<string, string>>,
  document: () => AsyncIterable<Part>,
): Reply {
  async function* parts(): AsyncGenerator<Part> {
    try {
      yield " ";
      yield* document();
    } catch (error) {
      const log = requestLog(engine.log, call.requestId);
      if (error instanceof ForebayError) yield errorText(toldError(error, log));
      else {
        logFault(error, log);
        // The status has left: only a broken connection tells that the answer is none.
        throw error;
      }
    }
  }
  return goingReply(call, { ...JSON_TYPE, ...headers }, parts);
}
