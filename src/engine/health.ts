import { ForebayError } from "../domain/errors.ts";
import { tokenIdOf } from "../domain/worker.ts";
import type { Counts, WorkerContact } from "../store/store.ts";
import type { Engine } from "./engine.ts";
import type { FleetReport } from "../domain/fleet-report.ts";
import { fleetWordsOf } from "./fleet-words-of.ts";
import { isPaused } from "./is-paused.ts";
import { isServed } from "./take-step.ts";

export interface Health {
  readonly counts: Counts;
  readonly workers: Pick<FleetReport, "throttled" | "unhealthy"> & {
    /** Live, without a job. */
    readonly idle: number;
    /** Holding a job. */
    readonly running: number;
    /** Idle, and given the next job. */
    readonly ready: number;
    /** Started by Forebay and not heard of yet. */
    readonly initializing: number;
  };
}

/** The counts of an endpoint (spec 2.7; design, row 12). Throws ENDPOINT_NOT_FOUND. */
export async function health(engine: Engine, endpoint: string): Promise<Health> {
  const counts = await engine.store.counts(endpoint);
  if (counts === undefined) throw new ForebayError("ENDPOINT_NOT_FOUND", `There is no endpoint ${endpoint}.`);
  return { counts, workers: inStates(engine, endpoint, await liveWorkers(engine, endpoint)) };
}

/** How many workers of each endpoint there are in each state; none of one that is gone. */
export async function workersOfEach(
  engine: Engine,
  endpoints: readonly string[],
): Promise<ReadonlyMap<string, Health["workers"]>> {
  const heardOf = await engine.store.workersOf(endpoints, liveSince(engine));
  return new Map(
    endpoints.map((endpoint) => {
      const live = (heardOf.get(endpoint) ?? []).filter((contact) => mayCall(engine, contact));
      return [endpoint, inStates(engine, endpoint, live)];
    }),
  );
}

function inStates(engine: Engine, endpoint: string, live: readonly WorkerContact[]): Health["workers"] {
  const idle = live.filter((worker) => worker.running === 0);
  return {
    idle: idle.length,
    running: live.length - idle.length,
    ready: isPaused(engine, endpoint)
      ? 0
      : idle.filter(({ worker }) => isServed(engine, { endpoint, id: worker })).length,
    ...started(engine, endpoint, live),
  };
}

/** Workers that have called within their lease, or hold a job. */
export async function liveWorkers(engine: Engine, endpoint: string): Promise<WorkerContact[]> {
  const heardOf = await engine.store.workers(endpoint, liveSince(engine));
  return heardOf.filter((contact) => mayCall(engine, contact));
}

function liveSince({ clock, durations }: Engine): number {
  return clock.now() - durations.workerLease;
}

/** One that has ended, and whose token with it, was heard of a moment ago as well. */
function mayCall(engine: Engine, { worker, running }: WorkerContact): boolean {
  return running > 0 || engine.configuration.get("worker", tokenIdOf(worker)) !== undefined;
}

/** Those that Forebay starts or should, on this server and on others. */
function started(engine: Engine, endpoint: string, live: readonly WorkerContact[]) {
  const called = new Set(live.map(({ worker }) => worker));
  const total = { initializing: 0, throttled: 0, unhealthy: 0 };
  for (const { initializing, report } of fleetWordsOf(engine, endpoint)) {
    // What another server tells can be as old as that.
    total.initializing += initializing.filter((id) => !called.has(id)).length;
    total.throttled += report?.throttled ?? 0;
    total.unhealthy += report?.unhealthy ?? 0;
  }
  return total;
}
