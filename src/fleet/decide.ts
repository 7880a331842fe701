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
  /** How many jobs it runs, except those of low priority. */
  readonly jobs: number;
  /** It runs a job of any priority. */
  readonly isBusy: boolean;
  /** It has not connected yet. */
  readonly isStarting: boolean;
  /** When it last got or ended a job; without a job, when it was started. */
  readonly lastJobAt: number;
  /** It gets no more jobs and ends when it has none, because it asked for that or a release replaces it. */
  readonly wantsReplacement: boolean;
  /** It has another version than the wanted one. */
  readonly isOutdated: boolean;
  /** It connected for the first time since the last look. */
  readonly isNew: boolean;
  /** It was asked to end. */
  readonly isEnding: boolean;
}

/** What an endpoint needs, and which workers it has. */
export interface FleetNow {
  /** Undefined if the endpoint was deleted. */
  readonly limits: FleetLimits | undefined;
  /** Waiting jobs, except those of low priority (spec 2.2). */
  readonly waiting: number;
  /** When the oldest of these were queued. With QUEUE_DELAY, at least as many as there could be workers. */
  readonly waitingSince: readonly number[];
  readonly workers: readonly WorkerNow[];
  /** No worker of the wanted version starts before this time. */
  readonly startsFrom: number;
  /** The last workers of the wanted version exited before they connected, so only one at a time is tried. */
  readonly isCrashLoop: boolean;
  /** A worker of the wanted version has connected before. */
  readonly isProven: boolean;
  /** Undefined unless the release is paused. */
  readonly paused?: PausedNow | undefined;
  readonly now: number;
}

/** How far a release was when it was paused, and the backoff of the version before it. */
type PausedNow = WorkerSplit & Pick<FleetNow, "startsFrom" | "isCrashLoop">;

export interface FleetDecision {
  /** How many workers of the wanted version to start. */
  readonly start: number;
  /** How many workers of the version before it to start, while the release is paused. */
  readonly startEarlier: number;
  /** Ids of the workers that get no more jobs and end now. */
  readonly drain: readonly string[];
  /** Ids of the workers that a release replaces: they get no more jobs, and end when they have none. */
  readonly retire: readonly string[];
  /** How many more workers are wanted than `workersMax` allows. */
  readonly throttled: number;
  /** How many workers are missing, whether they may be started now or not. */
  readonly missing: number;
  /** When a job will have waited long enough for another worker; undefined: there is no such time. */
  readonly lookAt: number | undefined;
}

/**
 * Decides how many workers to start, and which to end (decisions 0022 and 0023). A worker counts until it has
 * ended, so there are never more than `workersMax`, plus `releaseSurge` while there are outdated ones.
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
  // A busy worker is replaced only when another one is ready for its jobs.
  const needed = Math.max(target, Math.min(busy, limits.workersMax));
  const replaced = Math.max(0, old.length - Math.max(0, needed - fresh.filter(isReady).length));
  // Without a surge, as many old workers must end first as are started at a time.
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

/** While a release is paused, both versions scale, and no worker replaces one of the other version. */
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
  // If the new version keeps crashing, the earlier one takes its place.
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

/** How many workers may start: one at a time, or any number. */
function mostAlone(isAlone: boolean, workers: Workers): number {
  return isAlone ? Math.max(0, 1 - startingOf(workers).length) : Infinity;
}

/**
 * How many workers may start at once. While old ones serve, a new version starts one worker alone until it
 * has connected. After that it starts as many at a time as `releasePace` says.
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

/** Starting workers first, then idle ones. Within each, the longest idle first. */
function toGoFirst(old: Workers): WorkerNow[] {
  const rank = ({ isStarting, isBusy }: WorkerNow): number => (isStarting ? 0 : isBusy ? 2 : 1);
  return old.toSorted((a, b) => rank(a) - rank(b) || a.lastJobAt - b.lastJobAt);
}

/**
 * How many workers count for the demand. A new one that starts, or has just connected, stands for one old
 * one: a release does not raise the demand.
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
  /** If there are fewer workers than this, more are started. */
  readonly wanted: number;
  /** If there are more workers than this, those that were idle for long end. */
  readonly kept: number;
  /** How many workers have jobs. */
  readonly busy: number;
  readonly lookAt: number | undefined;
}

function demandOf(fleet: FleetNow, limits: FleetLimits, present: Workers, staying: Workers): Demand {
  // A replaced worker finishes its jobs, and these need no other worker.
  const counted = present.filter(({ isOutdated, wantsReplacement }) => !(isOutdated && wantsReplacement));
  // Running jobs need no other worker, even if several run on one, or on a worker that Forebay did not start.
  const busy = counted.filter(({ isBusy }) => isBusy).length;
  if (limits.scalerType === "QUEUE_DELAY") return byQueueDelay(fleet, limits, busy, staying);
  const running = counted.reduce((sum, { jobs }) => sum + jobs, 0);
  const wanted = Math.ceil((fleet.waiting + running) / limits.scalerValue);
  return { wanted, kept: Math.max(wanted, busy), busy, lookAt: undefined };
}

/**
 * The first waiting job needs a worker at once. More workers are needed for jobs that have waited longer than
 * the value: one for each job that has no worker yet.
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
  // Each of these will take a job. A worker that took none for that long, although jobs wait, will take none.
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

/** The wanted number, within the limits. */
function within({ workersMin, workersMax }: FleetLimits, wanted: number): number {
  return Math.min(Math.max(wanted, workersMin), workersMax);
}

function startingOf(workers: Workers): Workers {
  return workers.filter(({ isStarting }) => isStarting);
}

/**
 * The workers beyond `kept` that had no job since `before`, the longest idle first. Starting workers stay:
 * otherwise a load that comes and goes would end workers before they connect.
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

/** How many workers of a release, and of the version before it. */
type WorkerSplit = Pick<ReleasePause, "own" | "earlier">;

/**
 * How many workers of each version a paused release has if `target` are wanted (decision 0023). Up to the
 * number at the pause, including the surge that it used, the split stays. Workers beyond that have the
 * earlier version. If fewer are wanted, both versions shrink in proportion. At least one has the earlier
 * version: otherwise the new version would get all jobs of an endpoint with little load.
 */
function pausedSplit(paused: WorkerSplit, target: number, surge: number): WorkerSplit {
  const total = paused.own + paused.earlier;
  if (target === 0 || paused.own === 0) return { own: 0, earlier: target };
  const all = Math.max(target, Math.min(target + surge, total));
  const part = Math.ceil((all * paused.own) / total);
  const own = Math.min(paused.own, part, paused.earlier > 0 ? all - 1 : all);
  return { own, earlier: all - own };
}
