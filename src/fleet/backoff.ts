/** How an endpoint whose workers end by themselves waits before the next start. */
export interface Backoff {
  /** Ends in a row. */
  readonly failures: number;
  /** Those of them, the last ones, that came before the worker had called, or instead of its start. */
  readonly startUps: number;
  /** No start before this time. */
  readonly until: number;
}

/** The first wait, ms; each is twice the one before. */
const FIRST_WAIT = 500;

/** The longest waits, ms: after a worker that had called, and after one that never came so far. */
const LONGEST_WAIT = 30_000;
const LONGEST_START_UP_WAIT = 300_000;

/**
 * After this long without another such end the waits begin anew, ms; not where start-ups fail, which can take
 * longer than that.
 */
const CALM = 60_000;

/** So many start-ups in a row that fail are a crash loop. */
const CRASH_LOOP = 3;

/**
 * The wait after a worker ended by itself, or could not be started. Those that do so within one wait count
 * once.
 */
export function backoffAfter(earlier: Backoff | undefined, hasCalled: boolean, now: number): Backoff {
  if (earlier !== undefined && now < earlier.until) return earlier;
  const isCalm = earlier === undefined || (earlier.startUps === 0 && now - earlier.until >= CALM);
  const failures = isCalm ? 1 : earlier.failures + 1;
  const longest = hasCalled ? LONGEST_WAIT : LONGEST_START_UP_WAIT;
  return {
    failures,
    startUps: hasCalled ? 0 : (earlier?.startUps ?? 0) + 1,
    until: now + Math.min(FIRST_WAIT * 2 ** (failures - 1), longest),
  };
}

export function isCrashLoop(backoff: Backoff | undefined): boolean {
  return backoff !== undefined && backoff.startUps >= CRASH_LOOP;
}
