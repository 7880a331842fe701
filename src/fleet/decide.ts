import type { Endpoint } from "../domain/endpoint.ts";

export type FleetLimits = Pick<
  Endpoint,
  "workersMin" | "workersMax" | "idleTimeout" | "scalerType" | "scalerValue" | "isPaused"
>;

/** A worker that Forebay started and that has not ended. */
export interface WorkerNow {
  readonly id: string;
  /** How many jobs it runs, but of low priority. */
  readonly jobs: number;
  /** It runs a job, of whatever priority. */
  readonly isBusy: boolean;
  /** It has not called yet. */
  readonly isStarting: boolean;
  /** When it last got or ended a job, or else was started. */
  readonly lastJobAt: number;
  readonly wantsReplacement: boolean;
  /** It has been told to end. */
  readonly isEnding: boolean;
}

/** What an endpoint asks for and what runs. */
export interface FleetNow {
  /** Undefined when the endpoint is gone. */
  readonly limits: FleetLimits | undefined;
  /** Jobs that wait, but of low priority (spec 2.2). */
  readonly waiting: number;
  /** When the oldest of these were queued; with QUEUE_DELAY at least as many as workers could be there. */
  readonly waitingSince: readonly number[];
  readonly workers: readonly WorkerNow[];
  /** No worker is started before this time. */
  readonly startsFrom: number;
  /** The last ones ended before they called: only one at a time is tried. */
  readonly isCrashLoop: boolean;
  readonly now: number;
}

export interface FleetDecision {
  readonly start: number;
  /** Ids of the workers that get no more jobs and are to end. */
  readonly drain: readonly string[];
  /** Workers that `workersMax` keeps from being started. */
  readonly throttled: number;
  /** Workers that should run and do not, whether they may be started now or not. */
  readonly missing: number;
  /** When a job will have waited so long that another worker is wanted; undefined: no look need be then. */
  readonly lookAt: number | undefined;
}

/**
 * How many workers to start, and which to end (decision 0022). A worker that is ending takes its place until
 * it has ended, so there are never more than `workersMax`.
 */
export function decide(fleet: FleetNow): FleetDecision {
  const { limits, workers, startsFrom, isCrashLoop, now } = fleet;
  const present = workers.filter((worker) => !worker.isEnding);
  if (limits === undefined) return { ...NOTHING, drain: idsOf(present) };
  if (limits.isPaused) return { ...NOTHING, drain: idsOf(present.filter(({ isBusy }) => !isBusy)) };
  const staying = present.filter((worker) => !worker.wantsReplacement);
  const room = Math.max(0, limits.workersMax - workers.length);
  const { wanted, kept, lookAt } = demandOf(fleet, limits, present, staying);
  const missing = Math.max(0, within(limits, wanted) - staying.length);
  const tries = isCrashLoop ? Math.max(0, 1 - startingOf(staying).length) : missing;
  // It gets no more jobs, and ends after those that it has.
  const leaving = present.filter((worker) => worker.wantsReplacement && !worker.isBusy);
  const idle = tooMany(staying, within(limits, Math.max(wanted, kept)), now - limits.idleTimeout * 1_000);
  return {
    start: now < startsFrom ? 0 : Math.min(missing, room, tries),
    drain: idsOf([...leaving, ...idle]),
    throttled: Math.max(0, wanted - limits.workersMax),
    missing,
    lookAt: room > 0 ? lookAt : undefined,
  };
}

const NOTHING: FleetDecision = { start: 0, drain: [], throttled: 0, missing: 0, lookAt: undefined };

interface Demand {
  /** So many workers there should be: fewer than that, and more are started. */
  readonly wanted: number;
  /** Beyond so many those end that have been idle for long. */
  readonly kept: number;
  readonly lookAt: number | undefined;
}

function demandOf(
  fleet: FleetNow,
  limits: FleetLimits,
  present: readonly WorkerNow[],
  staying: readonly WorkerNow[],
): Demand {
  // Jobs that run want no other worker, whoever runs them: several at one, or one that came by itself.
  const busy = present.filter(({ isBusy }) => isBusy).length;
  if (limits.scalerType === "QUEUE_DELAY") return byQueueDelay(fleet, limits, busy, staying);
  const running = present.reduce((sum, { jobs }) => sum + jobs, 0);
  const wanted = Math.ceil((fleet.waiting + running) / limits.scalerValue);
  return { wanted, kept: Math.max(wanted, busy), lookAt: undefined };
}

/**
 * The first worker is wanted as soon as a job waits; more are when jobs have waited for longer than the
 * value, one for each that no worker is there for yet.
 */
function byQueueDelay(
  { waiting, waitingSince, now }: FleetNow,
  { scalerValue }: FleetLimits,
  busy: number,
  staying: readonly WorkerNow[],
): Demand {
  const kept = busy + waiting;
  if (waiting === 0) return { wanted: busy, kept, lookAt: undefined };
  if (staying.length === 0) return { wanted: Math.max(1, busy), kept, lookAt: undefined };
  const patience = scalerValue * 1_000;
  const lateFrom = waitingSince.map((since) => since + patience + 1).sort((a, b) => a - b);
  const late = lateFrom.filter((from) => from <= now).length;
  // Each of these will take a job. One that has had none for so long, while jobs wait, takes none.
  const free = staying.filter(
    ({ isBusy, isStarting, lastJobAt }) => isStarting || (!isBusy && lastJobAt + patience >= now),
  ).length;
  const beyond = Math.max(0, late - free);
  const wanted = beyond > 0 ? staying.length + beyond : Math.min(staying.length, kept);
  return { wanted: Math.max(busy, wanted), kept, lookAt: lateFrom.slice(free).find((from) => from > now) };
}

/** As many as are wanted, within the limits. */
function within({ workersMin, workersMax }: FleetLimits, wanted: number): number {
  return Math.min(Math.max(wanted, workersMin), workersMax);
}

function startingOf(workers: readonly WorkerNow[]): readonly WorkerNow[] {
  return workers.filter(({ isStarting }) => isStarting);
}

/**
 * Those beyond `kept` that have had no job since `before`, the longest idle first. One that is starting may
 * go on: else load that comes and goes would end workers before they come so far.
 */
function tooMany(workers: readonly WorkerNow[], kept: number, before: number): readonly WorkerNow[] {
  return workers
    .filter((worker) => !worker.isBusy && !worker.isStarting && worker.lastJobAt <= before)
    .sort((a, b) => a.lastJobAt - b.lastJobAt)
    .slice(0, Math.max(0, workers.length - kept));
}

function idsOf(workers: readonly WorkerNow[]): string[] {
  return workers.map((worker) => worker.id);
}
