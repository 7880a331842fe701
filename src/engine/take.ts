import type { TakenJob } from "../domain/job.ts";
import type { Engine } from "./engine.ts";
import { BARE_CALL, CONTACT_INTERVAL, isSilent, seen, type Sighting } from "./seen.ts";
import { isServed } from "./take-step.ts";
import { type HeldTake, keepIfListening, takeWithinHold } from "./take-within-hold.ts";

export interface TakeCall extends HeldTake {
  readonly sighting: Sighting;
}

/**
 * Hands up to `count` jobs to a worker: those that wait now, or the first that come within the hold. Empty
 * when there are none, or when the worker is being stopped.
 */
export async function take(engine: Engine, call: TakeCall): Promise<readonly TakenJob[]> {
  const isWritten = await seen(engine, call.worker, call.sighting);
  const jobs = await takeWithSigns(engine, { ...call, hold: holdOf(engine, call, isWritten) });
  return keepIfListening(engine, call, jobs);
}

/** A silent worker that waits makes no other call: that it waits is its sign of life. */
async function takeWithSigns(engine: Engine, call: TakeCall): Promise<readonly TakenJob[]> {
  const { worker, hold, signal } = call;
  const { clock, durations } = engine;
  const until = clock.now() + hold;
  for (;;) {
    const left = until - clock.now();
    const isLast = left <= durations.pingInterval || !isSilent(engine, worker.endpoint, worker.id);
    const jobs = await takeWithinHold(engine, { ...call, hold: isLast ? left : durations.pingInterval });
    if (isLast || jobs.length > 0 || signal.aborted || !isServed(engine, worker)) return jobs;
    await seen(engine, worker, BARE_CALL);
  }
}

/**
 * A worker that says it has no job, while one is out to it, is asked again soon: then its word counts,
 * because the hand-out and its call can no longer have crossed. So is a silent worker whose word was not
 * written, where another server can have handed it a job of which this one was not told.
 */
function holdOf(engine: Engine, { worker, sighting, hold }: TakeCall, isWritten: boolean): number {
  if (sighting.shown.kind !== "none") return hold;
  const { endpoint, id } = worker;
  if (engine.workerLoad.of(endpoint, id) > 0) return Math.min(hold, engine.durations.pingInterval);
  const isUnheard = !isWritten && engine.store.shared !== undefined && isSilent(engine, endpoint, id);
  return isUnheard ? Math.min(hold, CONTACT_INTERVAL) : hold;
}
