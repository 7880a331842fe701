import type { WorkerContact } from "../store/store.ts";
import type { Engine } from "./engine.ts";

export interface EndpointLoad {
  /** Jobs that wait, apart from those of low priority (spec 2.2). */
  readonly waiting: number;
  /** What each live worker runs, by its id. */
  readonly running: ReadonlyMap<string, WorkerContact>;
}

/** What an endpoint has to do, and who does it; nothing when the endpoint is gone. */
export async function endpointLoad(engine: Engine, endpoint: string): Promise<EndpointLoad> {
  const counts = await engine.store.counts(endpoint);
  if (counts === undefined) return { waiting: 0, running: new Map() };
  const since = engine.clock.now() - engine.durations.workerLease;
  const live = await engine.store.workers(endpoint, since);
  return {
    waiting: counts.queued - counts.queuedLowPriority,
    running: new Map(live.map((contact) => [contact.worker, contact])),
  };
}
