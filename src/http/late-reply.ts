import { ForebayError } from "../domain/errors.ts";
import type { Call } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { errorText, logFault, toldError } from "./error-reply.ts";
import { goingReply } from "./going-reply.ts";
import { requestLog } from "./request-id.ts";
import { inPieces, JSON_TYPE, type Part } from "./reply.ts";

/**
 * 200 with headers that leave at once, and a JSON document that follows when it is there. The runtime ends
 * the headers only with the first byte of the body: so a blank stands before the document, as JSON lets it.
 */
export function lateReply(
  { engine }: HttpContext,
  call: Call,
  headers: Readonly<Record<string, string>>,
  document: () => Promise<readonly Part[]>,
): Response {
  async function* parts(): AsyncGenerator<Part> {
    try {
      yield " ";
      yield* inPieces(await document());
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
