import { ForebayError } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { RateLimited } from "./limits/rate-limited.ts";

/**
 * The answer to a request that failed: the error's code, status and sentence, always as JSON. What is not an
 * error of the caller is a fault of the server; it is logged under an id, and only the id is told.
 */
export function errorReply(error: unknown, log: Log): Response {
  if (error instanceof ForebayError) return reply(error);
  const id = crypto.randomUUID();
  log.error("a request failed", {
    id,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return reply(new ForebayError("INTERNAL", `The server failed. The log has the cause under ${id}.`));
}

/** Seconds after which a server that is busy or stopping is asked again. */
const BUSY_RETRY = 1;

function reply(error: ForebayError): Response {
  const { code, status, message } = error;
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (error instanceof RateLimited) Object.assign(headers, error.headers);
  const retryAfter = error.retryAfter ?? (status === 503 ? BUSY_RETRY : undefined);
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  // Whatever of the body has not been read is not waited for.
  if (code === "BODY_TOO_LARGE") headers["connection"] = "close";
  return new Response(JSON.stringify({ error: message, code, status }), { status, headers });
}
