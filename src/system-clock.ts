import type { Clock } from "./domain/clock.ts";

/**
 * The wall clock as it was at the start, run on by the monotonic clock: a step of the wall clock moves no
 * deadline. `notBefore` is the latest time that was ever stored, so that time does not run backwards over a
 * restart either.
 */
export function systemClock(notBefore: number): Clock {
  const startedAt = Math.max(Date.now(), notBefore);
  const origin = performance.now();
  return {
    now: () => startedAt + Math.floor(performance.now() - origin),
    after(ms, action) {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
  };
}
