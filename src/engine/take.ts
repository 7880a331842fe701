import type { TakenJob } from "../domain/job.ts";
import type { Engine } from "./engine.ts";
import { seen, type Sighting } from "./seen.ts";
import { type HeldTake, keepIfListening, takeWithinHold } from "./take-within-hold.ts";

export interface TakeCall extends HeldTake {
  readonly sighting: Sighting;
}

/**
 * Hands up to `count` jobs to a worker: those that wait now, or the first that come within the hold. Empty
 * when there are none, or when the worker is being stopped.
 */
export async function take(engine: Engine, call: TakeCall): Promise<readonly TakenJob[]> {
  await seen(engine, call.worker, call.sighting);
  const jobs = await takeWithinHold(engine, { ...call, hold: holdOf(engine, call) });
  return keepIfListening(engine, call, jobs);
}

/**
 * A worker that says it has no job, while one is out to it, is asked again soon: then its word counts,
 * because the hand-out and its call can no longer have crossed.
 */
function holdOf(engine: Engine, { worker, sighting, hold }: TakeCall): number {
  const isContradiction =
    sighting.shown.kind === "none" && engine.workerLoad.of(worker.endpoint, worker.id) > 0;
  return isContradiction ? Math.min(hold, engine.durations.pingInterval) : hold;
}
