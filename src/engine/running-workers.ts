import type { Engine } from "./engine.ts";

/** How many workers of the endpoint hold a job: `workers.running` of health (design, rows 12 and 17). */
export async function runningWorkers(engine: Engine, endpoint: string): Promise<number> {
  const since = engine.clock.now() - engine.durations.workerLease;
  const contacts = await engine.store.workers(endpoint, since);
  return contacts.filter(({ running }) => running > 0).length;
}
