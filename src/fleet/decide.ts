import type { Endpoint } from "../domain/endpoint.ts";

export type FleetLimits = Pick<Endpoint, "workersMin" | "workersMax" | "idleTimeout">;

/** A worker that Forebay started and that has not ended. */
export interface WorkerNow {
  readonly id: string;
  readonly isBusy: boolean;
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
  /** Workers that are wanted: one for each job that waits, but of low priority, and the busy ones. */
  readonly demand: number;
  readonly workers: readonly WorkerNow[];
  /** No worker is started before this time. */
  readonly startsFrom: number;
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
}

/**
 * How many workers to start, and which to end. A worker that is ending takes its place until it has ended, so
 * there are never more than `workersMax`.
 */
export function decide({ limits, demand, workers, startsFrom, now }: FleetNow): FleetDecision {
  const present = workers.filter((worker) => !worker.isEnding);
  if (limits === undefined) return { start: 0, drain: idsOf(present), throttled: 0, missing: 0 };
  const wanted = wantedWorkers(limits, demand);
  const leaving = present.filter((worker) => worker.wantsReplacement);
  const staying = present.filter((worker) => !worker.wantsReplacement);
  const missing = Math.max(0, wanted - staying.length);
  const room = Math.max(0, limits.workersMax - workers.length);
  return {
    start: now < startsFrom ? 0 : Math.min(missing, room),
    drain: idsOf([...leaving, ...tooMany(staying, wanted, now - limits.idleTimeout * 1_000)]),
    throttled: Math.max(0, demand - limits.workersMax),
    missing,
  };
}

/** As many as are wanted, within the limits. */
function wantedWorkers({ workersMin, workersMax }: FleetLimits, demand: number): number {
  return Math.min(Math.max(demand, workersMin), workersMax);
}

/** Those beyond the wanted number that have had no job since `before`, the longest idle first. */
function tooMany(workers: readonly WorkerNow[], wanted: number, before: number): readonly WorkerNow[] {
  return workers
    .filter((worker) => !worker.isBusy && worker.lastJobAt <= before)
    .sort((a, b) => a.lastJobAt - b.lastJobAt)
    .slice(0, Math.max(0, workers.length - wanted));
}

function idsOf(workers: readonly WorkerNow[]): string[] {
  return workers.map((worker) => worker.id);
}
