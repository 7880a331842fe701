import { type Soon, whenHere } from "../domain/soon.ts";
import type { WorkerIdentity } from "../domain/worker.ts";
import type { Progress } from "../store/steps.ts";
import type { StoreAccess } from "./verb-needs.ts";
import { BARE_CALL, type Contacts, seen } from "./seen.ts";

export interface ProgressReport {
  readonly worker: WorkerIdentity;
  readonly job: string;
  /** Undefined in the public protocol: the attempt that the worker holds. */
  readonly attempt: number | undefined;
  /** Any JSON. */
  readonly value: Uint8Array;
}

/**
 * Stores the newest progress value of a running job. False if it changed nothing, because the attempt is over
 * or belongs to another worker.
 */
export async function progress(engine: Contacts, report: ProgressReport): Promise<boolean> {
  const step = await progressStep(engine, report);
  const [[answer]] = await Promise.all([
    engine.store.apply([step], engine.clock.now()),
    seen(engine, report.worker, BARE_CALL),
  ]);
  if (!answer.accepted) await engine.store.discardPayload(step.value);
  return answer.accepted;
}

export function progressStep(engine: StoreAccess, report: ProgressReport): Soon<Progress> {
  const { worker, job, attempt } = report;
  const named = { endpoint: worker.endpoint, id: job, worker: worker.id, attempt };
  return whenHere(engine.store.writePayload(report.value), (value) => ({
    step: "progress",
    ...named,
    value,
  }));
}
