import type { Clock } from "../../src/domain/clock.ts";

/** A clock that stands still until the test moves it: what is due meanwhile happens in order. */
export class ManualClock implements Clock {
  #now: number;
  #timers: { at: number; action: () => void }[] = [];

  constructor(now = 1_800_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, action: () => void): () => void {
    const timer = { at: this.#now + ms, action };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /**
   * `ms` pass in which nothing can happen, as for a process that is stopped: what was due comes afterwards.
   */
  async standStill(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }

  /** Moves on by `ms`, and lets everything that happens on the way settle. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.at);
      this.#timers = this.#timers.filter((timer) => timer !== next);
      next.action();
    }
    this.#now = end;
    await settle();
  }
}

/** Several rounds of the event loop: commits are made in one, their answers are acted upon in the next. */
async function settle(): Promise<void> {
  for (let round = 0; round < 10; round++) await new Promise(setImmediate);
}
