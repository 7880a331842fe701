/** The first and the longest window, ms. */
const FIRST = 100;
const LAST = 5_000;

/**
 * How long to wait after failures in a row: a random time (full jitter) in a window that doubles, so that
 * many workers do not reconnect to a restarted server at the same moment.
 */
export class Backoff {
  #failures = 0;

  /** How long to wait after one more failure, ms. */
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

/** A call that was answered sooner than this was not held by the server, ms. */
const NOT_HELD = 25;

/** Slows down a loop of calls if the server does not hold them. */
export class Pace {
  readonly #signal: AbortSignal;
  readonly #backoff = new Backoff();
  #askedAt = 0;

  constructor(signal: AbortSignal = new AbortController().signal) {
    this.#signal = signal;
  }

  /** Call it before each call. */
  asked(): void {
    this.#askedAt = performance.now();
  }

  /** Await it after a call without a result. */
  async broughtNothing(): Promise<void> {
    if (performance.now() - this.#askedAt < NOT_HELD) await pause(this.#backoff.next(), this.#signal);
    else this.#backoff.reset();
  }
}
