import type { Health } from "../../engine/health.ts";

/** How many workers are in each state (spec 4.A.7). */
export function presentWorkerCounts(workers: Health["workers"]): object {
  const { idle, running, ready, initializing, throttled, unhealthy } = workers;
  return { idle, running, ready, initializing, throttled, unhealthy };
}
