import { ForebayError } from "../domain/errors.ts";
import { tokenIdOf } from "../domain/worker.ts";
import type { Counts, WorkerContact } from "../store/store.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import type { StoreAccess, WithDurations } from "./verb-needs.ts";
import type { WorkerCounts } from "../domain/fleet-report.ts";
import { type FleetSight, fleetWordsOf } from "./fleet-of.ts";
import { isPaused } from "./take-step.ts";
import { isServed, type WorkerService } from "./worker-service.ts";

/** What counting the workers and their jobs needs. */
export interface WorkerSight extends StoreAccess, WithDurations, WorkerService, FleetSight {}

export interface Health {
  readonly counts: Counts;
  readonly workers: WorkerCounts;
  /** The workers that have called within their lease, or hold a job. */
  readonly live: readonly WorkerContact[];
}

/** The counts of an endpoint (spec 2.7; design, row 12). Throws ENDPOINT_NOT_FOUND. */
export async function health(engine: WorkerSight, endpoint: string): Promise<Health> {
  const counts = await engine.store.counts(endpoint);
  if (counts === undefined) throw new ForebayError("ENDPOINT_NOT_FOUND", `There is no endpoint ${endpoint}.`);
  const live = await liveWorkers(engine, endpoint);
  return { counts, workers: inStates(engine, endpoint, live), live };
}

/** How many workers each endpoint has in each state. Deleted endpoints are left out. */
export async function workersOfEach(
  engine: WorkerSight,
  endpoints: readonly string[],
): Promise<ReadonlyMap<string, WorkerCounts>> {
  const heardOf = await engine.store.workersOf(endpoints, liveSince(engine));
  return new Map(
    endpoints.map((endpoint) => {
      const live = (heardOf.get(endpoint) ?? []).filter((contact) => mayCall(engine, contact));
      return [endpoint, inStates(engine, endpoint, live)];
    }),
  );
}

function inStates(engine: WorkerSight, endpoint: string, live: readonly WorkerContact[]): WorkerCounts {
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
export async function liveWorkers(engine: WorkerSight, endpoint: string): Promise<WorkerContact[]> {
  const heardOf = await engine.store.workers(endpoint, liveSince(engine));
  return heardOf.filter((contact) => mayCall(engine, contact));
}

function liveSince({ clock, durations }: StoreAccess & WithDurations): number {
  return clock.now() - durations.workerLease;
}

/** A worker that has ended, so that its token is gone, can still have a recent call. */
function mayCall(engine: WithConfiguration, { worker, running }: WorkerContact): boolean {
  return running > 0 || engine.configuration.get("worker", tokenIdOf(worker)) !== undefined;
}

/** Workers that Forebay starts or should start, on this server and on others. */
function started(engine: FleetSight, endpoint: string, live: readonly WorkerContact[]) {
  const called = new Set(live.map(({ worker }) => worker));
  const total = { initializing: 0, throttled: 0, unhealthy: 0 };
  for (const { initializing, report } of fleetWordsOf(engine, endpoint)) {
    // What another server says can be older than a call.
    total.initializing += initializing.filter((id) => !called.has(id)).length;
    total.throttled += report?.throttled ?? 0;
    total.unhealthy += report?.unhealthy ?? 0;
  }
  return total;
}

/** How many workers of the endpoint hold a job: `workers.running` of health (design, rows 12 and 17). */
export async function runningWorkers(engine: StoreAccess & WithDurations, endpoint: string): Promise<number> {
  const contacts = await engine.store.workers(endpoint, liveSince(engine));
  return contacts.filter(({ running }) => running > 0).length;
}

export interface EndpointLoad {
  /** Jobs that wait, apart from those of low priority (spec 2.2). */
  readonly waiting: number;
  /** What each live worker does, by its id. */
  readonly running: ReadonlyMap<string, WorkerContact>;
}

/** The waiting jobs of an endpoint, and its workers; empty if the endpoint was deleted. */
export async function endpointLoad(
  engine: StoreAccess & WithDurations,
  endpoint: string,
): Promise<EndpointLoad> {
  const counts = await engine.store.counts(endpoint);
  if (counts === undefined) return { waiting: 0, running: new Map() };
  const live = await engine.store.workers(endpoint, liveSince(engine));
  return {
    waiting: counts.queued - counts.queuedLowPriority,
    running: new Map(live.map((contact) => [contact.worker, contact])),
  };
}
