import { type ErrorCode, ForebayError } from "../../domain/errors.ts";

/** A request beyond a rate limit; its answer tells the limit in headers. */
export class RateLimited extends ForebayError {
  readonly operation: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: Extract<ErrorCode, "RATE_LIMITED" | "TOO_MANY_AT_ONCE">,
    operation: string,
    sentence: string,
    retryAfter: number,
    headers: Readonly<Record<string, string>>,
  ) {
    super(code, sentence, retryAfter);
    this.operation = operation;
    this.headers = headers;
  }
}
