/** How long an endpoint waits before the next start, after workers exited by themselves. */
export interface Backoff {
  /** Exits in a row. */
  readonly failures: number;
  /** How many of the last exits happened before the worker had connected, or were failed starts. */
  readonly startUps: number;
  /** No worker starts before this time. */
  readonly until: number;
}

/** The first wait, ms. Each wait is twice as long as the one before. */
const FIRST_WAIT = 500;

/** The longest waits, ms: after a worker that had connected, and after one that never did. */
const LONGEST_WAIT = 30_000;
const LONGEST_START_UP_WAIT = 300_000;

/**
 * After this long without another exit, waits start over, ms. Failing start-ups are excepted: one can take
 * longer.
 */
const CALM = 60_000;

/** This many failed start-ups in a row are a crash loop. */
const CRASH_LOOP = 3;

/**
 * The wait after a worker exited by itself, or could not be started. All exits within one wait count once.
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
