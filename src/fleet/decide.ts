import type { Endpoint } from "../domain/endpoint.ts";
import type { ReleasePause } from "../domain/release.ts";

export type FleetLimits = Pick<
  Endpoint,
  | "workersMin"
  | "workersMax"
  | "idleTimeout"
  | "scalerType"
  | "scalerValue"
  | "isPaused"
  | "releaseSurge"
  | "releasePace"
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
  /** It gets no more jobs, and ends when it has none: it has asked for that, or a release replaces it. */
  readonly wantsReplacement: boolean;
  /** It is of another version than the one whose workers are to run. */
  readonly isOutdated: boolean;
  /** It has called since the last look for the first time. */
  readonly isNew: boolean;
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
  /** No worker of the version that is to run is started before this time. */
  readonly startsFrom: number;
  /** The last ones of that version ended before they called: only one at a time is tried. */
  readonly isCrashLoop: boolean;
  /** A worker of the version that is to run has called before. */
  readonly isProven: boolean;
  /** Undefined while the release goes on. */
  readonly paused?: PausedNow | undefined;
  readonly now: number;
}

/** How far a release had come when it was paused, and how the starts of the version before it go. */
type PausedNow = WorkerSplit & Pick<FleetNow, "startsFrom" | "isCrashLoop">;

export interface FleetDecision {
  /** Workers of the version that is to run. */
  readonly start: number;
  /** Workers of the version that served before, while the release is paused. */
  readonly startEarlier: number;
  /** Ids of the workers that get no more jobs and are to end now. */
  readonly drain: readonly string[];
  /** Ids of the workers that get no more jobs because of a release, and are to end when they have none. */
  readonly retire: readonly string[];
  /** Workers that `workersMax` keeps from being started. */
  readonly throttled: number;
  /** Workers that should run and do not, whether they may be started now or not. */
  readonly missing: number;
  /** When a job will have waited so long that another worker is wanted; undefined: no look need be then. */
  readonly lookAt: number | undefined;
}

/**
 * How many workers to start, and which to end (decisions 0022 and 0023). A worker that is ending takes its
 * place until it has ended, so there are never more than `workersMax`, and `releaseSurge` beyond that while
 * there are outdated ones.
 */
export function decide(fleet: FleetNow): FleetDecision {
  const { limits, workers, startsFrom, now } = fleet;
  const present = workers.filter((worker) => !worker.isEnding);
  if (limits === undefined) return { ...NOTHING, drain: idsOf(present) };
  if (limits.isPaused) return { ...NOTHING, drain: idsOf(present.filter(({ isBusy }) => !isBusy)) };
  const staying = present.filter((worker) => !worker.wantsReplacement);
  const gone = present.filter(({ wantsReplacement, isBusy }) => wantsReplacement && !isBusy);
  const old = staying.filter(({ isOutdated }) => isOutdated);
  const fresh = staying.filter(({ isOutdated }) => !isOutdated);
  if (fleet.paused !== undefined) {
    return decidePaused(fleet, limits, fleet.paused, { present, staying, gone, old, fresh });
  }
  const { wanted, kept, busy, lookAt } = demandOf(fleet, limits, present, staying);
  const target = within(limits, wanted);
  const surge = workers.some(({ isOutdated }) => isOutdated) ? limits.releaseSurge : 0;
  const room = Math.max(0, limits.workersMax + surge - workers.length);
  const lacking = Math.max(0, target - fresh.length);
  const tries = now < startsFrom ? 0 : Math.min(lacking, mostStarts(fleet, limits, old, fresh));
  const idle = tooMany(fresh, within(limits, Math.max(wanted, kept)), now - limits.idleTimeout * 1_000);
  // One that has a job goes only because another one is there for it.
  const needed = Math.max(target, Math.min(busy, limits.workersMax));
  const replaced = Math.max(0, old.length - Math.max(0, needed - fresh.filter(isReady).length));
  // Where none may be beside them, as many must go first as are started at a time.
  const away = workers.length - staying.length + startingOf(fresh).length;
  const inTheWay = surge === 0 ? Math.min(tries, (limits.releasePace ?? 1) - room - away) : 0;
  return {
    start: Math.min(tries, room),
    startEarlier: 0,
    drain: idsOf([...gone, ...idle]),
    retire: idsOf(toGoFirst(old).slice(0, Math.max(replaced, inTheWay))),
    throttled: Math.max(0, wanted - limits.workersMax),
    missing: Math.max(0, target - staying.length),
    lookAt: room > 0 && staying.length < limits.workersMax ? lookAt : undefined,
  };
}

const NOTHING: FleetDecision = {
  start: 0,
  startEarlier: 0,
  drain: [],
  retire: [],
  throttled: 0,
  missing: 0,
  lookAt: undefined,
};

type Workers = readonly WorkerNow[];
type Groups = Readonly<Record<"present" | "staying" | "gone" | "old" | "fresh", Workers>>;

/** Nobody comes in the place of another version's worker, or goes for one; both versions scale. */
function decidePaused(
  fleet: FleetNow,
  limits: FleetLimits,
  paused: PausedNow,
  { present, staying, gone, old, fresh }: Groups,
): FleetDecision {
  const { workers, startsFrom, isCrashLoop, isProven, now } = fleet;
  const { workersMax, releaseSurge } = limits;
  const alike = staying.map((worker) => ({ ...worker, isOutdated: false }));
  const { wanted, kept, lookAt } = demandOf(fleet, limits, present, alike);
  const splitOf = (count: number) => pausedSplit(paused, within(limits, count), releaseSurge);
  const due = splitOf(wanted);
  const lacking = Math.max(0, due.own + due.earlier - staying.length);
  // Where the new version ends again and again the earlier one stands in for it.
  const ownLacking = isCrashLoop ? 0 : Math.min(lacking, Math.max(0, due.own - fresh.length));
  const own = now < startsFrom ? 0 : Math.min(ownLacking, mostAlone(!isProven, fresh));
  const mostEarlier = now < paused.startsFrom ? 0 : mostAlone(paused.isCrashLoop, old);
  const room = Math.max(0, workersMax + releaseSurge - workers.length);
  const startEarlier = Math.min(room, lacking - ownLacking, mostEarlier);
  const stay = splitOf(Math.max(wanted, kept));
  const all = stay.own + stay.earlier;
  const before = now - limits.idleTimeout * 1_000;
  const idleOld = tooMany(old, Math.max(stay.earlier, all - fresh.length), before);
  const idleFresh = tooMany(fresh, Math.max(stay.own, all - old.length), before);
  return {
    start: Math.min(room - startEarlier, own),
    startEarlier,
    drain: idsOf([...gone, ...idleOld, ...idleFresh]),
    retire: [],
    throttled: Math.max(0, wanted - workersMax),
    missing: lacking,
    lookAt: room > 0 && staying.length < workersMax ? lookAt : undefined,
  };
}

/** How many may be started where one at a time is tried, or any number. */
function mostAlone(isAlone: boolean, workers: Workers): number {
  return isAlone ? Math.max(0, 1 - startingOf(workers).length) : Infinity;
}

/**
 * How many may be started at once. While others serve, a version starts one alone until that has called, and
 * then as many at a time as the endpoint says.
 */
function mostStarts(
  { isCrashLoop, isProven }: FleetNow,
  { releasePace }: FleetLimits,
  old: Workers,
  fresh: Workers,
): number {
  const isAlone = isCrashLoop || (old.length > 0 && !isProven);
  const most = isAlone ? 1 : old.length > 0 ? (releasePace ?? Infinity) : Infinity;
  return Math.max(0, most - startingOf(fresh).length);
}

/** Those that are no use yet, then the idle ones, and the longest idle first. */
function toGoFirst(old: Workers): WorkerNow[] {
  const rank = ({ isStarting, isBusy }: WorkerNow): number => (isStarting ? 0 : isBusy ? 2 : 1);
  return old.toSorted((a, b) => rank(a) - rank(b) || a.lastJobAt - b.lastJobAt);
}

/**
 * How many workers there are as far as demand goes. A fresh one that starts, or has just called, stands for
 * one old one: what a release starts beside the old ones is no reason to want more.
 */
function capacityOf(staying: Workers): number {
  const old = staying.filter(({ isOutdated }) => isOutdated).length;
  const coming = staying.filter((one) => !one.isOutdated && (one.isStarting || one.isNew)).length;
  return staying.length - Math.min(old, coming);
}

function isReady({ isStarting }: WorkerNow): boolean {
  return !isStarting;
}

interface Demand {
  /** So many workers there should be: fewer than that, and more are started. */
  readonly wanted: number;
  /** Beyond so many those end that have been idle for long. */
  readonly kept: number;
  /** So many have jobs. */
  readonly busy: number;
  readonly lookAt: number | undefined;
}

function demandOf(fleet: FleetNow, limits: FleetLimits, present: Workers, staying: Workers): Demand {
  // What a release has replaced finishes its jobs, and wants nobody for them.
  const counted = present.filter(({ isOutdated, wantsReplacement }) => !(isOutdated && wantsReplacement));
  // Jobs that run want no other worker, whoever runs them: several at one, or one that came by itself.
  const busy = counted.filter(({ isBusy }) => isBusy).length;
  if (limits.scalerType === "QUEUE_DELAY") return byQueueDelay(fleet, limits, busy, staying);
  const running = counted.reduce((sum, { jobs }) => sum + jobs, 0);
  const wanted = Math.ceil((fleet.waiting + running) / limits.scalerValue);
  return { wanted, kept: Math.max(wanted, busy), busy, lookAt: undefined };
}

/**
 * The first worker is wanted as soon as a job waits; more are when jobs have waited for longer than the
 * value, one for each that no worker is there for yet.
 */
function byQueueDelay(
  { waiting, waitingSince, now }: FleetNow,
  { scalerValue }: FleetLimits,
  busy: number,
  staying: Workers,
): Demand {
  const kept = busy + waiting;
  if (waiting === 0) return { wanted: busy, kept, busy, lookAt: undefined };
  if (staying.length === 0) return { wanted: Math.max(1, busy), kept, busy, lookAt: undefined };
  const patience = scalerValue * 1_000;
  const lateFrom = waitingSince.map((since) => since + patience + 1).sort((a, b) => a - b);
  const late = lateFrom.filter((from) => from <= now).length;
  // Each of these will take a job. One that has had none for so long, while jobs wait, takes none.
  const free = staying.filter(
    ({ isBusy, isStarting, lastJobAt }) => isStarting || (!isBusy && lastJobAt + patience >= now),
  ).length;
  const beyond = Math.max(0, late - free);
  const capacity = capacityOf(staying);
  const wanted = beyond > 0 ? capacity + beyond : Math.min(capacity, kept);
  return {
    wanted: Math.max(busy, wanted),
    kept,
    busy,
    lookAt: lateFrom.slice(free).find((from) => from > now),
  };
}

/** As many as are wanted, within the limits. */
function within({ workersMin, workersMax }: FleetLimits, wanted: number): number {
  return Math.min(Math.max(wanted, workersMin), workersMax);
}

function startingOf(workers: Workers): Workers {
  return workers.filter(({ isStarting }) => isStarting);
}

/**
 * Those beyond `kept` that have had no job since `before`, the longest idle first. One that is starting may
 * go on: else load that comes and goes would end workers before they come so far.
 */
function tooMany(workers: Workers, kept: number, before: number): Workers {
  return workers
    .filter((worker) => !worker.isBusy && !worker.isStarting && worker.lastJobAt <= before)
    .sort((a, b) => a.lastJobAt - b.lastJobAt)
    .slice(0, Math.max(0, workers.length - kept));
}

function idsOf(workers: Workers): string[] {
  return workers.map((worker) => worker.id);
}

/** So many workers of a release and of the earlier version. */
type WorkerSplit = Pick<ReleasePause, "own" | "earlier">;

/**
 * How many workers of each version a paused release has where `target` are wanted (decision 0023). As many as
 * at the pause are the same ones, the places beyond `workersMax` that it had taken included. What is wanted
 * beyond that is of the earlier version. Where fewer are, each has its part of them, and one at least is of
 * the earlier version, or all jobs of an endpoint that rests would go to the new one.
 */
function pausedSplit(paused: WorkerSplit, target: number, surge: number): WorkerSplit {
  const total = paused.own + paused.earlier;
  if (target === 0 || paused.own === 0) return { own: 0, earlier: target };
  const all = Math.max(target, Math.min(target + surge, total));
  const part = Math.ceil((all * paused.own) / total);
  const own = Math.min(paused.own, part, paused.earlier > 0 ? all - 1 : all);
  return { own, earlier: all - own };
}
