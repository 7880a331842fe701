import type { TakenJob } from "../domain/job.ts";
import type { WorkerIdentity } from "../domain/worker.ts";
import type { Engine } from "./engine.ts";
import { giveBack } from "./give-back.ts";

/**
 * Takes back jobs that were handed out and never reached their worker. It counts neither as loss nor as
 * hand-out.
 */
export async function withdraw(
  engine: Engine,
  worker: WorkerIdentity,
  jobs: readonly Pick<TakenJob, "id" | "attempt">[],
): Promise<void> {
  const held = await engine.store.held(worker.endpoint, worker.id);
  for (const { id, attempt } of jobs) {
    const job = held.find((candidate) => candidate.id === id && candidate.attempt === attempt);
    if (job !== undefined) await giveBack(engine, job, "withdrawn");
  }
}
