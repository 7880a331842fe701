import type { FleetReport } from "../domain/fleet-report.ts";
import type { WorkerIdentity } from "../domain/worker.ts";
import type { ParkedTakes } from "./parked-takes.ts";
import type { WithWaits } from "./verb-needs.ts";
import { FLEET_KEY } from "./wait-keys.ts";

/** A worker that Forebay started. The engine and the fleet tell each other here what they know of it. */
export interface ManagedWorker {
  readonly endpoint: string;
  /** When its start was asked for; undefined when that was by an earlier server. */
  readonly orderedAt: number | undefined;
  /** Since when it runs, as far as this server knows; undefined while it does not run yet. */
  runsSince: number | undefined;
  /** How long its image was fetched, ms; undefined where it was there, and for other kinds of workers. */
  pullMs?: number | undefined;
  /**
   * When it last got or ended a job, as far as the signals of this server tell, or else first called, or else
   * was started.
   */
  lastJobAt: number;
  /** It has called at least once. */
  hasCalled: boolean;
  /** When it did so first; undefined where that was not seen. */
  calledAt?: number | undefined;
  /** It has got a job, as far as the signals of this server tell. */
  hadJob?: boolean;
}

/** What this server knows of the workers that it starts. */
export interface FleetState {
  /** Those that have not ended, by their ids. */
  readonly managed: Map<string, ManagedWorker>;
  /** How it is with the workers of each endpoint at which this server has looked, by its id. */
  readonly reports: Map<string, FleetReport>;
  /** Endpoints whose workers the fleet looks at before its next look at all of them. */
  readonly news: Set<string>;
  /** How long it takes from the order to start a worker until it calls, ms on average, by endpoint. */
  readonly coldStarts: Map<string, number>;
  /** Workers that a fresh one replaces; they get no more jobs. */
  readonly toReplace: Set<string>;
  /** Workers that are being stopped. */
  readonly draining: Set<string>;
}

export interface WithFleet {
  readonly fleet: FleetState;
}

export function fleetState(): FleetState {
  return {
    managed: new Map(),
    reports: new Map(),
    news: new Set(),
    coldStarts: new Map(),
    toReplace: new Set(),
    draining: new Set(),
  };
}

/** What it takes to wake the fleet. */
export interface FleetNews extends WithFleet, WithWaits {}

/** The fleet looks at the workers of this endpoint now. */
export function tellFleet({ fleet, waits }: FleetNews, endpoint: string): void {
  fleet.news.add(endpoint);
  waits.notify(FLEET_KEY);
}

/**
 * The worker wants to be replaced by a fresh one, or a release replaces it. One that Forebay started gets no
 * more jobs, and the fleet ends it when it has none; any other has to see to it itself.
 */
export function askReplacement(
  engine: FleetNews & { readonly parkedTakes: ParkedTakes },
  worker: Pick<WorkerIdentity, "endpoint" | "id">,
): void {
  if (!engine.fleet.managed.has(worker.id)) return;
  engine.fleet.toReplace.add(worker.id);
  engine.parkedTakes.release(worker.endpoint, worker.id);
  tellFleet(engine, worker.endpoint);
}
