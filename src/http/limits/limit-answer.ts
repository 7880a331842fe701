import { RATE_WINDOW, type RateLimit } from "../../domain/rate-limits.ts";
import { RateLimited } from "../errors-with-headers.ts";
import type { Gate, Refusal } from "./gate.ts";

/** A request at its gate: let in, or refused. */
export interface Entry {
  readonly gate: Gate;
  /** How many requests are allowed within 10 s. */
  readonly requests: number;
  readonly refusal: Refusal;
}

/** draft-ietf-httpapi-ratelimit-headers-10: `t` is the time until more than `r` are allowed. */
export function rateLimitHeaders(operation: string, { gate, requests }: Entry, now: number) {
  const remaining = gate.remaining(requests, now);
  const more = remaining === 0 ? gate.roomIn(requests, now) : gate.oldestLeavesIn(now);
  return {
    "ratelimit-policy": `"${operation}";q=${requests};w=${RATE_WINDOW / 1_000}`,
    ratelimit: `"${operation}";r=${remaining};t=${secondsOf(more)}`,
  };
}

/** The error for a request that was refused at its gate. */
export function refused(operation: string, limit: RateLimit, entry: Entry, now: number): RateLimited {
  const headers = rateLimitHeaders(operation, entry, now);
  if (entry.refusal === "concurrent") {
    const policy = `"${operation}-concurrent";q=${limit.concurrent};qu="concurrent-requests"`;
    return new RateLimited(
      "TOO_MANY_AT_ONCE",
      operation,
      `${limit.concurrent} ${operation} requests are in flight, the maximum. ` +
        "Wait until one of them is answered.",
      AT_ONCE_RETRY,
      {
        "ratelimit-policy": `${headers["ratelimit-policy"]}, ${policy}`,
        ratelimit: `${headers.ratelimit}, "${operation}-concurrent";r=0`,
      },
    );
  }
  const wait = secondsOf(entry.gate.roomIn(entry.requests, now));
  return new RateLimited(
    "RATE_LIMITED",
    operation,
    `The limit is ${entry.requests} ${operation} requests within ${RATE_WINDOW / 1_000} s. ` +
      `Try again in ${wait} s.`,
    wait,
    headers,
  );
}

/** The next place is free when a call ends, and nobody knows when: try again soon. Seconds. */
const AT_ONCE_RETRY = 1;

/** Whole seconds, rounded up; at least one. */
function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
