/** The first and the last window to wait in, ms. */
const FIRST = 100;
const LAST = 5_000;

/**
 * How long to wait after failures in a row: a random time (full jitter) in a window that doubles, so that
 * many workers do not come back to a restarted server at the same moment.
 */
export class Backoff {
  #failures = 0;

  /** Milliseconds to wait after one more failure. */
  next(): number {
    const window = Math.min(LAST, FIRST * 2 ** this.#failures);
    this.#failures++;
    return Math.random() * window;
  }

  reset(): void {
    this.#failures = 0;
  }
}

/** Resolves after `ms`, or as soon as `signal` aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
