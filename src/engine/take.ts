import type { TakenJob } from "../domain/job.ts";
import type { Soon } from "../domain/soon.ts";
import type { WorkerIdentity } from "../domain/worker.ts";
import { isSilent } from "./known-workers.ts";
import { type Contacts, CONTACT_INTERVAL, seen, type Sighting } from "./seen.ts";
import { takeStep } from "./take-step.ts";
import { withdraw, type Withdrawing } from "./withdraw.ts";
import { canTake, type HandOuts, isRunOut, isServed } from "./worker-service.ts";

/** What a call for jobs needs. */
export interface Taking extends HandOuts, Contacts, Withdrawing {}

export interface HeldTake {
  readonly worker: WorkerIdentity;
  /** How many jobs at most; at least 1. */
  readonly count: number;
  /** How long to wait for a job, ms. */
  readonly hold: number;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
}

export interface TakeCall extends HeldTake {
  readonly sighting: Sighting;
}

/**
 * Hands up to `count` jobs to a worker: those that wait now, or the first that come within the hold. Empty
 * when there are none, or when the worker is being stopped.
 */
export async function take(engine: Taking, call: TakeCall): Promise<readonly TakenJob[]> {
  const sighted = seen(engine, call.worker, call.sighting);
  const isWritten = sighted instanceof Promise ? await sighted : sighted;
  const hold = holdOf(engine, call, isWritten);
  const taken = takeWithinHold(engine, hold === call.hold ? call : { ...call, hold });
  return keepIfListening(engine, call, taken instanceof Promise ? await taken : taken);
}

/**
 * If a worker that was handed a job says that it has none, it is asked again soon. Its second answer counts,
 * because the hand-out and its call can no longer have crossed. The same holds for a silent worker whose
 * answer was not written: another server can have handed it a job that this one does not know.
 */
function holdOf(engine: Taking, { worker, sighting, hold }: TakeCall, isWritten: boolean): number {
  if (sighting.shown.kind !== "none") return hold;
  const { endpoint, id } = worker;
  if (engine.workerLoad.of(endpoint, id) > 0) return Math.min(hold, engine.durations.pingInterval);
  const isUnheard = !isWritten && engine.store.shared !== undefined && isSilent(engine, endpoint, id);
  return isUnheard ? Math.min(hold, CONTACT_INTERVAL) : hold;
}

/**
 * Jobs that wait now, or the first that come within the hold; none once `enough` resolves, when the caller is
 * gone, or when the worker is being stopped.
 */
export function takeWithinHold(
  engine: HandOuts,
  call: HeldTake,
  enough?: Promise<unknown>,
): Soon<readonly TakenJob[]> {
  const mayTake = canTake(engine, call.worker, call.count);
  return mayTake ? takeOrPark(engine, call, enough) : park(engine, call, enough);
}

async function takeOrPark(
  engine: HandOuts,
  call: HeldTake,
  enough: Promise<unknown> | undefined,
): Promise<readonly TakenJob[]> {
  const { worker, count } = call;
  const { endpoint, id } = worker;
  do {
    const arrivals = engine.queueHints.arrivals(endpoint);
    const [jobs] = await engine.store.apply([takeStep(engine, endpoint, id, count)], engine.clock.now());
    if (jobs.length > 0) return jobs;
    engine.queueHints.foundEmpty(endpoint, arrivals);
  } while (canTake(engine, worker, count));
  return park(engine, call, enough);
}

/** Nothing may come between the last `canTake` and this, or a job that arrives there is overlooked. */
function park(
  engine: HandOuts,
  { worker, count, hold, signal }: HeldTake,
  enough: Promise<unknown> | undefined,
): Soon<readonly TakenJob[]> {
  const isServedNow = isServed(engine, worker);
  if (hold <= 0 || signal.aborted || !(isServedNow || isRunOut(engine, worker))) return [];
  const until = engine.clock.now() + hold;
  const parked = engine.parkedTakes.park(worker.endpoint, worker.id, isServedNow ? count : 0, until);
  signal.addEventListener("abort", parked, { once: true });
  void enough?.then(() => parked.leave());
  return parked.jobs;
}

/** Jobs of a caller that is known to be gone go back at once, as if they had never left. */
export function keepIfListening(
  engine: Withdrawing,
  { worker, signal }: Pick<HeldTake, "worker" | "signal">,
  jobs: readonly TakenJob[],
): Soon<readonly TakenJob[]> {
  if (jobs.length === 0 || !signal.aborted) return jobs;
  return withdraw(engine, worker, jobs).then(() => []);
}
