import { servingOf } from "../domain/release.ts";
import { type EndpointFacts, endpointReason, waitReason, type WaitReason } from "../domain/wait-reason.ts";
import type { StoredTimeline, WorkerContact } from "../store/store.ts";
import { fleetOf, fleetWordsOf } from "./fleet-of.ts";
import { liveWorkers, type WorkerSight } from "./health.ts";
import { isManaged, type WithWorkerStarts } from "./launch.ts";
import { isOutdated, type WorkerVersions } from "./take-step.ts";
import { isServed } from "./worker-service.ts";

/** What explaining why a job waits needs. */
export interface WaitSight extends WorkerSight, WithWorkerStarts {}

/**
 * Why a job waits, as far as this server knows. What another server says about its workers is up to half a
 * second old. Undefined if the endpoint was deleted.
 */
export async function whyWaits(engine: WaitSight, timeline: StoredTimeline): Promise<WaitReason | undefined> {
  const { job, ahead, lowPriority, barred } = timeline;
  const facts = factsOf(engine, job.endpoint, await liveWorkers(engine, job.endpoint));
  if (facts === undefined) return undefined;
  return waitReason({ ...facts, position: ahead + 1, lowPriority, queuedAt: job.queuedAt, barred });
}

/**
 * Why the jobs of an endpoint wait or would wait, from its live workers and how many jobs wait; undefined if
 * they need not.
 */
export function whyEndpointWaits(
  engine: WaitSight,
  endpoint: string,
  { live, waiting }: { readonly live: readonly WorkerContact[]; readonly waiting: number },
): WaitReason | undefined {
  const facts = factsOf(engine, endpoint, live);
  return facts && endpointReason(facts, waiting);
}

/** Undefined if the endpoint was deleted. */
function factsOf(engine: WaitSight, id: string, live: readonly WorkerContact[]): EndpointFacts | undefined {
  const endpoint = engine.configuration.get("endpoint", id);
  if (endpoint === undefined) return undefined;
  const called = new Set(live.map(({ worker }) => worker));
  const words = fleetWordsOf(engine, id);
  const starting = words.flatMap(({ initializing }) => initializing).filter((worker) => !called.has(worker));
  const fleet = fleetOf(engine, id);
  return {
    endpoint,
    isManaged: isManaged(engine, id),
    fleet: fleet && {
      ...fleet,
      throttled: words.reduce((sum, word) => sum + (word.report?.throttled ?? 0), 0),
    },
    starting: starting.length,
    startingSince: earliest(starting.map((worker) => engine.configuration.get("worker", worker)?.startedAt)),
    busy: live.filter(({ running }) => running > 0).length,
    ready: live
      .filter(({ worker, running }) => running === 0 && isServed(engine, { endpoint: id, id: worker }))
      .map(({ worker }) => worker),
    unprovenVersion: unprovenVersion(engine, id, [...called]),
    now: engine.clock.now(),
  };
}

/** The version that is to run, if none of its workers has called and other workers are there. */
function unprovenVersion(
  engine: WorkerVersions,
  endpoint: string,
  live: readonly string[],
): number | undefined {
  const serving = servingOf(engine.configuration.releases(endpoint));
  if (serving === undefined || serving.servedAt !== undefined) return undefined;
  return live.some((worker) => isOutdated(engine, endpoint, worker)) ? serving.number : undefined;
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
