import { Backoff, pause } from "../backoff.ts";

/** A call that was answered sooner than this was not held, ms. */
const NOT_HELD = 25;

/** Keeps a loop of calls that the server should hold from asking all the time when it does not. */
export class Pace {
  readonly #signal: AbortSignal;
  readonly #backoff = new Backoff();
  #askedAt = 0;

  constructor(signal: AbortSignal = new AbortController().signal) {
    this.#signal = signal;
  }

  /** To be called before each call. */
  asked(): void {
    this.#askedAt = performance.now();
  }

  /** To be awaited after one that brought nothing. */
  async broughtNothing(): Promise<void> {
    if (performance.now() - this.#askedAt < NOT_HELD) await pause(this.#backoff.next(), this.#signal);
    else this.#backoff.reset();
  }
}
