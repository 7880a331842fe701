import { RAISED_LIMITS } from "../support/raised-limits.ts";

/**
 * What every endpoint of a run is made with, beside its name: whatever keeps the fuzzer from being refused
 * for its speed alone belongs here.
 */
export const FUZZED_ENDPOINT: Readonly<Record<string, unknown>> = { rateLimits: RAISED_LIMITS };
