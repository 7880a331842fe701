import { type ErrorCode, ForebayError } from "../domain/errors.ts";

/** An error whose answer has headers of its own. */
export class ErrorWithHeaders extends ForebayError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    sentence: string,
    headers: Readonly<Record<string, string>>,
    retryAfter?: number,
  ) {
    super(code, sentence, retryAfter);
    this.headers = headers;
  }
}

/** A request above a rate limit. Headers of its answer show the limit. */
export class RateLimited extends ErrorWithHeaders {
  readonly operation: string;

  constructor(
    code: Extract<ErrorCode, "RATE_LIMITED" | "TOO_MANY_AT_ONCE">,
    operation: string,
    sentence: string,
    retryAfter: number,
    headers: Readonly<Record<string, string>>,
  ) {
    super(code, sentence, headers, retryAfter);
    this.operation = operation;
  }
}

/** The path does not support the method. The answer names those that it supports (RFC 9110, 15.5.6). */
export function methodNotAllowed(method: string, allowed: readonly string[]): ErrorWithHeaders {
  const sentence = `This path takes ${METHOD_LIST.format(allowed)}, not ${method}.`;
  return new ErrorWithHeaders("METHOD_NOT_ALLOWED", sentence, { allow: allowed.join(", ") });
}

const METHOD_LIST = new Intl.ListFormat("en-GB");
