import { NO_STRAY } from "./shown-jobs.ts";
import type { WorkerContact } from "./store.ts";

/** What the stores read of a worker. */
export interface ContactRow {
  readonly worker: string;
  readonly lastContact: number;
  readonly running: number;
  readonly runningLowPriority: number;
  readonly pings: number | boolean;
  readonly hung_up: number | boolean | null;
  readonly stray_job: string | null;
  readonly stray_since: number | null;
}

export function contactOf(row: ContactRow): WorkerContact {
  const { worker, lastContact, running, runningLowPriority, stray_job: job, stray_since: since } = row;
  return {
    worker,
    lastContact,
    running,
    runningLowPriority,
    pings: Boolean(row.pings),
    hasHungUp: Boolean(row.hung_up),
    stray: job === null || job === NO_STRAY || since === null ? undefined : { job, since },
  };
}
