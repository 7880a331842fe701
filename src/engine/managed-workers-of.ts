import type { Engine } from "./engine.ts";

export interface WorkerView {
  readonly id: string;
  readonly state: (typeof WORKER_STATES)[number];
}

/**
 * INITIALIZING: it has not called yet; IDLE and RUNNING: without and with a job; DRAINING: it gets no more
 * jobs, and ends.
 */
export const WORKER_STATES = ["INITIALIZING", "IDLE", "RUNNING", "DRAINING"] as const;

/** The workers that this server has started for the endpoint, the oldest first. */
export function managedWorkersOf(engine: Engine, endpoint: string): WorkerView[] {
  return [...engine.managed]
    .filter(([, worker]) => worker.endpoint === endpoint)
    .map(([id, { hasCalled }]) => ({ id, state: stateOf(engine, endpoint, id, hasCalled) }));
}

function stateOf(engine: Engine, endpoint: string, id: string, hasCalled: boolean): WorkerView["state"] {
  if (engine.draining.has(id)) return "DRAINING";
  if (!hasCalled) return "INITIALIZING";
  return engine.workerLoad.of(endpoint, id) > 0 ? "RUNNING" : "IDLE";
}
