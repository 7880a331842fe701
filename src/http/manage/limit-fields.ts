import { z } from "zod";
import { type LimitedOperation, RATE_LIMITS, type RateLimit } from "../../domain/rate-limits.ts";

/** A limit this high is no limit. */
const HIGHEST = 1_000_000_000;

/** Members of an endpoint: its rate limits, which can be raised, and how much may wait (design, row 17). */
export const LIMIT_FIELDS = {
  rateLimits: z
    .strictObject({
      runsync: raised("runsync"),
      run: raised("run"),
      status: raised("status"),
      "status-sync": raised("status-sync"),
      stream: raised("stream"),
      cancel: raised("cancel"),
      retry: raised("retry"),
      "purge-queue": z.strictObject({ requests: atLeast("purge-queue", "requests") }).optional(),
      health: raised("health"),
      openai: raised("openai"),
      requests: raised("requests"),
    } satisfies Record<LimitedOperation, z.ZodType>)
    .nullish(),
  maxQueuedJobs: z.int().min(1).max(HIGHEST).nullish(),
  maxQueuedBytes: z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullish(),
};

/** The limits of an operation; each must be at least the default. */
function raised(operation: LimitedOperation) {
  return z
    .strictObject({
      requests: atLeast(operation, "requests"),
      concurrent: atLeast(operation, "concurrent"),
    })
    .optional();
}

function atLeast(operation: LimitedOperation, member: "requests" | "concurrent") {
  const limit: RateLimit = RATE_LIMITS[operation];
  const least = limit[member] ?? 1;
  return z.int().min(least, `must be at least ${least}: limits can only be raised`).max(HIGHEST).optional();
}
