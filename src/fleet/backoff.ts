/** How an endpoint whose workers end by themselves waits before the next start. */
export interface Backoff {
  /** Ends in a row. */
  readonly failures: number;
  /** No start before this time. */
  readonly until: number;
}

/** The first wait, and the longest, ms; each is twice the one before. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;

/** After this long without another such end the waits begin anew, ms. */
const CALM = 60_000;

/**
 * The wait after a worker ended by itself, or could not be started. Those that do so within one wait count
 * once.
 */
export function backoffAfter(earlier: Backoff | undefined, now: number): Backoff {
  if (earlier !== undefined && now < earlier.until) return earlier;
  const isCalm = earlier === undefined || now - earlier.until >= CALM;
  const failures = isCalm ? 1 : earlier.failures + 1;
  return { failures, until: now + Math.min(FIRST_WAIT * 2 ** (failures - 1), LONGEST_WAIT) };
}
