import { ForebayError } from "../domain/errors.ts";
import type { Call } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { errorText, logFault } from "./error-reply.ts";
import { goingReply } from "./going-reply.ts";
import { requestLog } from "./request-id.ts";
import { inPieces, JSON_TYPE, type Part } from "./reply.ts";

/** 200 with headers that leave at once, and a JSON document that follows when it is there. */
export function lateReply(
  context: HttpContext,
  call: Call,
  headers: Readonly<Record<string, string>>,
  document: () => Promise<readonly Part[]>,
): Response {
  return heldReply(context, call, headers, async function* () {
    yield* inPieces(await document());
  });
}

/**
 * The same, of a document whose parts come one after the other; blanks may stand before it. The runtime ends
 * the headers only with the first byte of the body: so a blank stands before it in any case, as JSON lets it.
 */
export function heldReply(
  { engine }: HttpContext,
  call: Call,
  headers: Readonly<Record<string, string>>,
  document: () => AsyncIterable<Part>,
): Response {
  async function* parts(): AsyncGenerator<Part> {
    call.allowSilence(0);
    try {
      yield " ";
      yield* document();
    } catch (error) {
      if (error instanceof ForebayError) yield errorText(error);
      else {
        logFault(error, requestLog(engine.log, call.requestId));
        // The status has left: only a broken connection tells that the answer is none.
        throw error;
      }
    }
  }
  return goingReply(call, { ...JSON_TYPE, ...headers }, parts);
}
