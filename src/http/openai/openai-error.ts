import type { ErrorCode, ForebayError } from "../../domain/errors.ts";

/** An error as clients of OpenAI read it. */
export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | number | null;
}

/** Whether errors of this path have the shape of OpenAI (design, row 14). */
export function isOpenAiPath(path: string): boolean {
  return /^(?:\/sdk)?\/v2\/[^/]+\/openai(?:\/|$)/.test(path);
}

/** Codes for which OpenAI has its own. */
const THEIR_CODES: Partial<Record<ErrorCode, string>> = {
  KEY_MISSING: "invalid_api_key",
  KEY_UNKNOWN: "invalid_api_key",
  RATE_LIMITED: "rate_limit_exceeded",
  TOO_MANY_AT_ONCE: "rate_limit_exceeded",
  QUEUE_FULL: "rate_limit_exceeded",
};

/** An error in the shape of OpenAI, with our `code` and `status` besides. */
export function openAiErrorText(error: ForebayError): string {
  const { code, status, message } = error;
  const theirs = { message, type: typeOf(status), param: null, code: THEIR_CODES[code] ?? code };
  return JSON.stringify({ error: theirs, code, status });
}

/** The type that OpenAI gives errors with this status. */
export function typeOf(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
