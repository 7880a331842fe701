import type { ReturnReason } from "../domain/deadlines.ts";
import type { TakenJob } from "../domain/job.ts";
import type { WorkerIdentity } from "../domain/worker.ts";
import type { WithLog } from "./verb-needs.ts";
import { giveBack, type GivingBack } from "./give-back.ts";
import { inSlices } from "./paced.ts";

/** What returning jobs that did not reach their worker needs. */
export interface Withdrawing extends GivingBack, WithLog {}

type Attempt = Pick<TakenJob, "id" | "attempt">;

/**
 * Returns jobs to the queue that were handed out and did not reach their worker. It counts neither as a loss
 * nor as undelivered. All of them share a commit.
 */
export async function withdraw(
  engine: GivingBack,
  worker: WorkerIdentity,
  jobs: readonly Attempt[],
  reason: Extract<ReturnReason, "uncarried" | "unread"> = "uncarried",
): Promise<void> {
  if (jobs.length === 0) return;
  const held = await engine.store.held(worker.endpoint, worker.id);
  const attempts = new Map(jobs.map(({ id, attempt }) => [id, attempt]));
  const back = held.filter(({ id, attempt }) => attempts.get(id) === attempt);
  await inSlices(back, (job) => giveBack(engine, job, reason));
}

/**
 * The same after an error that the caller gets. If the store fails as well, the delivery lease returns the
 * jobs.
 */
export async function withdrawAfterError(
  engine: Withdrawing,
  worker: WorkerIdentity,
  jobs: readonly Attempt[],
): Promise<void> {
  try {
    await withdraw(engine, worker, jobs);
  } catch (error) {
    engine.log.error("jobs that did not reach their worker wait for their delivery lease", {
      worker: worker.id,
      jobs: jobs.length,
      error: String(error),
    });
  }
}
