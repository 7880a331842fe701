import type { TakenJob } from "../domain/job.ts";
import { onAbort } from "../domain/on-abort.ts";
import { allHere } from "../domain/soon.ts";
import type { WorkerIdentity } from "../domain/worker.ts";
import type { Append, Finish, Progress, Step, StepAnswers } from "../store/steps.ts";
import { type Appending, appendStep, gatherYields, type Yield } from "./append.ts";
import { askReplacement } from "./fleet-state.ts";
import { type ProgressReport, progressStep } from "./progress.ts";
import { discardPayloads, finishStep, type Report } from "./report.ts";
import { notePings, seen, type Sighting } from "./seen.ts";
import { type Stops, untoldStops } from "./stops.ts";
import { keepIfListening, takeWithinHold, type Taking } from "./take.ts";
import { takeStep } from "./take-step.ts";
import type { StoreAccess } from "./verb-needs.ts";
import { stopKey } from "./wait-keys.ts";
import { withdrawAfterError } from "./withdraw.ts";
import { canTake } from "./worker-service.ts";

/** What an exchange needs. */
export interface Exchanging extends Taking, Appending, Stops {}

/** All that a worker has to say, and what it can take, in one call (design, row 25). */
export interface ExchangeCall {
  readonly worker: WorkerIdentity;
  readonly sighting: Sighting;
  readonly yields: readonly Yield[];
  readonly progress: readonly ProgressReport[];
  readonly results: readonly Report[];
  /** It is to be replaced by a fresh one, and gets no more jobs. */
  readonly wantsReplacement: boolean;
  /** How many jobs it can take; 0 for none. */
  readonly count: number;
  /** How long a call that brought nothing waits for a job, or for one to stop; ms. */
  readonly hold: number;
  readonly signal: AbortSignal;
}

export interface ExchangeAnswer {
  readonly jobs: readonly TakenJob[];
  /** Ids of jobs that the worker must stop. */
  readonly stop: readonly string[];
  /** Ids of jobs whose chunks, progress or result changed nothing: that attempt is over. */
  readonly ignored: readonly string[];
}

/**
 * Stores chunks, progress and results and hands out the next jobs in the same commit. A call that brought
 * something is answered at once, so that its worker knows it stored; any other waits for a job, or for one to
 * stop. If it fails after the hand-out, the jobs go back to the queue.
 */
export async function exchange(engine: Exchanging, call: ExchangeCall): Promise<ExchangeAnswer> {
  const handedOut: TakenJob[] = [];
  try {
    const answer = await exchanged(engine, call, handedOut);
    return { ...answer, jobs: await keepIfListening(engine, call, answer.jobs) };
  } catch (error) {
    await withdrawAfterError(engine, call.worker, handedOut);
    throw error;
  }
}

async function exchanged(
  engine: Exchanging,
  call: ExchangeCall,
  handedOut: TakenJob[],
): Promise<ExchangeAnswer> {
  const { worker, sighting, hold } = call;
  if (call.wantsReplacement) askReplacement(engine, worker);
  notePings(engine, worker, sighting);
  const sighted = seen(engine, worker, sighting);
  const storing = storeAndTake(engine, call, handedOut);
  if (sighted instanceof Promise) {
    // Whichever fails, the other is over as well: what was handed out is known then.
    await Promise.allSettled([storing, sighted]);
    await storing;
    await sighted;
  }
  const stored = await storing;
  const stop = await untoldStops(engine, worker);
  const hasNews = stored.jobs.length > 0 || stop.length > 0 || bringsSomething(call);
  if (hasNews || hold <= 0) return { ...stored, stop };
  return waitForNews(engine, call, handedOut);
}

/** Whether the call has stored anything that its worker must learn of. */
export function bringsSomething({
  yields,
  progress,
  results,
}: Pick<ExchangeCall, "yields" | "progress" | "results">): boolean {
  return yields.length + progress.length + results.length > 0;
}

async function storeAndTake(
  engine: Exchanging,
  call: ExchangeCall,
  handedOut: TakenJob[],
): Promise<Omit<ExchangeAnswer, "stop">> {
  const { worker, count } = call;
  const made = allHere<Append | Progress | Finish>([
    ...gatherYields(call.yields).map((yielded) => appendStep(engine, yielded)),
    ...call.progress.map((report) => progressStep(engine, report)),
    ...call.results.map((result) => finishStep(engine, result)),
  ]);
  const reports = made instanceof Promise ? await made : made;
  const takes = canTake(engine, worker, count) ? [takeStep(engine, worker.endpoint, worker.id, count)] : [];
  const steps: Step[] = [...reports, ...takes];
  if (steps.length === 0) return { jobs: [], ignored: [] };

  const arrivals = engine.queueHints.arrivals(worker.endpoint);
  const answers = await engine.store.apply(steps, engine.clock.now());
  const jobs = takes.length === 0 ? [] : takenOf(answers.at(-1));
  handedOut.push(...jobs);
  const ignored = reports.filter((_step, index) => !isAccepted(answers[index]));
  for (const step of ignored) await discard(engine, step);
  if (takes.length > 0 && jobs.length === 0) engine.queueHints.foundEmpty(worker.endpoint, arrivals);
  return { jobs, ignored: [...new Set(ignored.map((step) => step.id))] };
}

async function discard(engine: StoreAccess, step: Append | Progress | Finish): Promise<void> {
  if (step.step === "append") for (const chunk of step.chunks) await engine.store.discardPayload(chunk);
  else if (step.step === "progress") await engine.store.discardPayload(step.value);
  else await discardPayloads(engine, step);
}

async function waitForNews(
  engine: Exchanging,
  call: ExchangeCall,
  handedOut: TakenJob[],
): Promise<ExchangeAnswer> {
  const { worker, count, hold, signal } = call;
  // An earlier call that waits is answered: the worker has changed what it asks for, and would lose what
  // comes if it had to hang up.
  engine.waits.notify(stopKey(worker.endpoint, worker.id));
  const waiting = engine.waits.open(stopKey(worker.endpoint, worker.id));
  onAbort(signal, waiting.close);
  try {
    const earlier = await untoldStops(engine, worker);
    if (earlier.length > 0) return { jobs: [], stop: earlier, ignored: [] };
    const stopOrHold = waiting.next(engine.clock.now() + hold);
    const jobs = count > 0 ? await takeWithinHold(engine, call, stopOrHold) : [];
    handedOut.push(...jobs);
    if (jobs.length === 0) await stopOrHold;
    return { jobs, stop: await untoldStops(engine, worker), ignored: [] };
  } finally {
    waiting.close();
  }
}

type AnyAnswer = StepAnswers[Step["step"]] | undefined;

function isAccepted(answer: AnyAnswer): boolean {
  return answer !== undefined && "accepted" in answer && answer.accepted;
}

function takenOf(answer: AnyAnswer): readonly TakenJob[] {
  return Array.isArray(answer) ? answer : [];
}
