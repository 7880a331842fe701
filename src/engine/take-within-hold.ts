import type { TakenJob } from "../domain/job.ts";
import { onAbort } from "../domain/on-abort.ts";
import type { WorkerIdentity } from "../domain/worker.ts";
import type { Engine } from "./engine.ts";
import { canTake, isRunOut, isServed, takeStep } from "./take-step.ts";
import { withdraw } from "./withdraw.ts";

export interface HeldTake {
  readonly worker: WorkerIdentity;
  /** How many jobs at most; at least 1. */
  readonly count: number;
  /** How long to wait for a job, ms. */
  readonly hold: number;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
}

/**
 * Jobs that wait now, or the first that come within the hold; none once `enough` resolves, when the caller is
 * gone, or when the worker is being stopped.
 */
export async function takeWithinHold(
  engine: Engine,
  call: HeldTake,
  enough?: Promise<unknown>,
): Promise<readonly TakenJob[]> {
  const { worker, count, hold, signal } = call;
  while (canTake(engine, worker, count)) {
    const jobs = await takeNow(engine, call);
    if (jobs.length > 0) return jobs;
  }
  // Nothing may come between the last question above and the parking, or a job that arrives there is
  // overlooked.
  const isServedNow = isServed(engine, worker);
  if (hold <= 0 || signal.aborted || !(isServedNow || isRunOut(engine, worker))) return [];
  const until = engine.clock.now() + hold;
  const parked = engine.parkedTakes.park(worker.endpoint, worker.id, isServedNow ? count : 0, until);
  onAbort(signal, parked.leave);
  void enough?.then(parked.leave);
  return parked.jobs;
}

/** Jobs of a caller that is known to be gone go back at once, as if they had never left. */
export async function keepIfListening(
  engine: Engine,
  { worker, signal }: Pick<HeldTake, "worker" | "signal">,
  jobs: readonly TakenJob[],
): Promise<readonly TakenJob[]> {
  if (jobs.length === 0 || !signal.aborted) return jobs;
  await withdraw(engine, worker, jobs);
  return [];
}

async function takeNow(engine: Engine, { worker, count }: HeldTake): Promise<readonly TakenJob[]> {
  const { endpoint, id } = worker;
  const arrivals = engine.queueHints.arrivals(endpoint);
  const [jobs] = await engine.store.apply([takeStep(engine, endpoint, id, count)], engine.clock.now());
  if (jobs.length === 0) engine.queueHints.foundEmpty(endpoint, arrivals);
  return jobs;
}
