import {
  descriptorsUsedUp,
  type ErrorCode,
  ForebayError,
  isOutOfDescriptors,
  PayloadDamaged,
} from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { ErrorShape } from "./error-shapes.ts";
import { ErrorWithHeaders } from "./errors-with-headers.ts";
import { JSON_TYPE, type Reply } from "./reply.ts";

/** Errors of requests whose body is not read to its end, because it can be endless. */
const LEAVES_BODY: ReadonlySet<ErrorCode> = new Set([
  "BODY_TOO_LARGE",
  "BODY_TOO_SLOW",
  "MEDIA_TYPE_NOT_SUPPORTED",
  "OVERLOADED",
]);

/** Whether this error leaves a body unread that its sender may still send in time. */
export function leavesBody(error: unknown): boolean {
  return error instanceof ForebayError && LEAVES_BODY.has(error.code) && error.code !== "BODY_TOO_SLOW";
}

/**
 * The answer to a request that failed: the error's code, status and sentence, as JSON. An error that is not
 * the caller's is a fault of the server: it is logged under an id, and the answer contains only that id.
 */
export function errorReply(error: unknown, log: Log, { mediaType, statusOf, textOf }: ErrorShape): Reply {
  const shown = shownError(error, log);
  const headers = { ...headersOf(shown), "content-type": mediaType };
  return { status: statusOf(shown.code), headers, body: textOf(shown) };
}

/** The error that the caller sees. A fault of the server is logged, and replaced by one with its id. */
export function shownError(error: unknown, log: Log): ForebayError {
  if (error instanceof PayloadDamaged) {
    log.error("a stored payload is damaged: check the disk, `forebay doctor` lists all of them", {
      where: error.where,
    });
  }
  if (error instanceof ForebayError) return error;
  // Logged once, where the server notices that it has too many connections.
  if (isOutOfDescriptors(error)) return descriptorsUsedUp();
  const id = logFault(error, log);
  return new ForebayError(
    "INTERNAL",
    `The server failed because of a bug. Its log has the cause under the id ${id}.`,
  );
}

/** Logs a fault of the server under the id that it returns. */
export function logFault(error: unknown, log: Log): string {
  const id = crypto.randomUUID();
  log.error("a request failed", {
    id,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return id;
}

/** After how many seconds to try again if the server is busy or stopping. */
const BUSY_RETRY = 1;

function headersOf(error: ForebayError): Record<string, string> {
  const { code, status } = error;
  const headers: Record<string, string> = { ...JSON_TYPE };
  if (error instanceof ErrorWithHeaders) Object.assign(headers, error.headers);
  const retryAfter = error.retryAfter ?? (status === 503 ? BUSY_RETRY : undefined);
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  // The rest of the body is not waited for.
  if (LEAVES_BODY.has(code)) headers["connection"] = "close";
  return headers;
}
