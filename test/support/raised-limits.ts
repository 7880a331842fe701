import { RATE_LIMITS } from "../../src/domain/rate-limits.ts";

/** `rateLimits` of an endpoint that is called more often than anybody may by default. */
export const RAISED_LIMITS = Object.fromEntries(
  Object.entries(RATE_LIMITS).map(([operation, { concurrent }]) => [
    operation,
    { requests: 1_000_000, ...(concurrent === undefined ? {} : { concurrent: 10_000 }) },
  ]),
);
