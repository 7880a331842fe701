import { emptyHistogram, observe } from "../domain/histogram.ts";
import { FINE, type Meters, type Vitals } from "../domain/meters.ts";

/** How often we measure the delay of a timer, ms. */
const LOOK_INTERVAL = 250;

/** Measures this process from now on. */
export function processVitals(): Vitals {
  const began = performance.now();
  const loopDelays = emptyHistogram();
  let lookedAt = began;
  const timer = setInterval(() => {
    const now = performance.now();
    observe(loopDelays, Math.max(0, now - lookedAt - LOOK_INTERVAL) * FINE);
    lookedAt = now;
  }, LOOK_INTERVAL);
  // The timer does not keep the process alive.
  timer.unref();
  return {
    startedAt: Date.now(),
    uptime: () => performance.now() - began,
    loopDelays,
    memory: () => process.memoryUsage.rss(),
    cpu() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    stopwatch() {
      const from = performance.now();
      return () => performance.now() - from;
    },
    stop: () => clearInterval(timer),
  };
}

/** Call it when a transaction begins, and call the answer with the number of steps when it is durable. */
export function transactionMeter({ stopwatch }: Vitals, { commits, steps }: Meters) {
  return () => {
    const took = stopwatch();
    return (count: number): void => {
      observe(commits, took() * FINE);
      observe(steps, count);
    };
  };
}
