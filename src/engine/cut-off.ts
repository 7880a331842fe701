import type { WorkerIdentity } from "../domain/worker.ts";
import type { Finish } from "../store/steps.ts";

import { type JobTimeSource, retentionNow } from "./job-times.ts";
import { BARE_CALL, type Contacts, seen } from "./seen.ts";

/** Whose chunks cannot be kept. */
export interface CutOff {
  readonly worker: WorkerIdentity;
  readonly job: string;
  /** Undefined in the public protocol: the attempt that the worker holds. */
  readonly attempt: number | undefined;
  /** A JSON string. */
  readonly reason: Uint8Array;
}

/**
 * Ends a job whose chunks cannot be stored, because its readers would miss them. Its worker, which still runs
 * it, is asked to stop. Nothing happens if the attempt is over or not this worker's.
 */
export async function cutOff(engine: Contacts, subject: CutOff): Promise<void> {
  await Promise.all([
    engine.store.apply([cutOffStep(engine, subject)], engine.clock.now()),
    seen(engine, subject.worker, BARE_CALL),
  ]);
}

/** The step that does so. */
export function cutOffStep(engine: JobTimeSource, { worker, job, attempt, reason }: CutOff): Finish {
  return {
    step: "finish",
    event: "cutOff",
    endpoint: worker.endpoint,
    id: job,
    worker: worker.id,
    attempt,
    output: undefined,
    error: reason,
    retention: retentionNow(engine, worker.endpoint, job),
  };
}
