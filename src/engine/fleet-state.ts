import type { FleetReport } from "../domain/fleet-report.ts";
import { hostOf, isConfiguredHost } from "../domain/host.ts";
import { tokenIdOf, type WorkerIdentity } from "../domain/worker.ts";
import type { ParkedTakes } from "./parked-takes.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import type { WithServer, WithWaits } from "./verb-needs.ts";
import { FLEET_KEY } from "./wait-keys.ts";

/** A worker that Forebay started. The engine and the fleet share here what they know of it. */
export interface ManagedWorker {
  readonly endpoint: string;
  /** When its start was requested; undefined if an earlier server did that. */
  readonly orderedAt: number | undefined;
  /** When it began to run, as far as this server knows; undefined before that. */
  runsSince: number | undefined;
  /** How long its image was pulled, ms; undefined if it was already there, and for other kinds of workers. */
  pullMs?: number | undefined;
  /** When it last got or ended a job, as far as this server knows; otherwise its first call, or its start. */
  lastJobAt: number;
  /** Whether it has called at least once. */
  hasCalled: boolean;
  /** When it first called; undefined if nobody saw that. */
  calledAt?: number | undefined;
  /** Whether it has got a job, as far as this server knows. */
  hadJob?: boolean;
}

/** What this server knows of the workers that it starts. */
export interface FleetState {
  /** Workers that have not ended, by their ids. */
  readonly managed: Map<string, ManagedWorker>;
  /** The report for each endpoint at which this server has looked, by its id. */
  readonly reports: Map<string, FleetReport>;
  /** Endpoints at whose workers the scaling job looks next. */
  readonly news: Set<string>;
  /** The average time from the request to start a worker to its first call, ms, by endpoint. */
  readonly coldStarts: Map<string, number>;
  /** Workers that are being replaced. They get no more jobs. */
  readonly toReplace: Set<string>;
  /** Workers that are being stopped. */
  readonly draining: Set<string>;
  /** Hosts whose engine does not answer this server, by name. */
  readonly awayHosts: Map<string, AwayHost>;
}

export interface AwayHost {
  /** When it was first asked in vain. */
  readonly since: number;
  /** When it was last asked in vain. */
  readonly askedAt: number;
  /** Why it cannot be reached, as a clause. */
  readonly reason: string;
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
    awayHosts: new Map(),
  };
}

/** What waking the scaling job needs. */
export interface FleetNews extends WithFleet, WithWaits {}

/** Makes the scaling job look at the workers of this endpoint now. */
export function notifyFleet({ fleet, waits }: FleetNews, endpoint: string): void {
  fleet.news.add(endpoint);
  waits.notify(FLEET_KEY);
}

/**
 * Asks for a replacement of the worker, because it wants that, or because of a release. A worker that Forebay
 * started gets no more jobs, and ends when it has none. Any other worker must end by itself.
 */
export function askReplacement(
  engine: FleetNews & { readonly parkedTakes: ParkedTakes },
  worker: Pick<WorkerIdentity, "endpoint" | "id">,
): void {
  if (!engine.fleet.managed.has(worker.id)) return;
  engine.fleet.toReplace.add(worker.id);
  engine.parkedTakes.release(worker.endpoint, worker.id);
  notifyFleet(engine, worker.endpoint);
}

/** Whether the engine of the worker's host does not answer this server. */
export function isOnAwayHost(engine: WithConfiguration & WithFleet & WithServer, worker: string): boolean {
  const token = engine.configuration.get("worker", tokenIdOf(worker));
  const host = token && hostOf(token);
  if (token === undefined || host === undefined || !engine.fleet.awayHosts.has(host)) return false;
  // A configured host is another one on each server.
  return !isConfiguredHost(host) || (token.server ?? engine.server) === engine.server;
}

/** Whether the worker is to be replaced by one on another host. */
export function isOnDrainingHost(engine: WithConfiguration, worker: string): boolean {
  const host = hostOfWorker(engine, worker);
  return host !== undefined && engine.configuration.get("host", host)?.isDraining === true;
}

/** Undefined for a worker that Forebay did not start, or whose record is gone. */
function hostOfWorker({ configuration }: WithConfiguration, worker: string): string | undefined {
  const token = configuration.get("worker", tokenIdOf(worker));
  return token === undefined ? undefined : hostOf(token);
}
