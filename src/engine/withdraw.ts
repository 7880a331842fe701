import type { TakenJob } from "../domain/job.ts";
import type { WorkerIdentity } from "../domain/worker.ts";
import type { Engine } from "./engine.ts";
import { giveBack } from "./give-back.ts";
import { inSlices } from "./in-slices.ts";

/**
 * Takes back jobs that were handed out and never reached their worker. It counts neither as loss nor as
 * hand-out.
 */
export async function withdraw(
  engine: Engine,
  worker: WorkerIdentity,
  jobs: readonly Pick<TakenJob, "id" | "attempt">[],
): Promise<void> {
  const attempts = new Map(jobs.map(({ id, attempt }) => [id, attempt]));
  const held = await engine.store.held(worker.endpoint, worker.id);
  const undelivered = held.filter(({ id, attempt }) => attempts.get(id) === attempt);
  await inSlices(undelivered, (job) => giveBack(engine, job, "withdrawn"));
}
