import { placeOf } from "../domain/host.ts";
import type { TimelineAttempt, UnplacedAttempt } from "../domain/timeline.ts";
import { tokenIdOf, type WorkerPlace } from "../domain/worker.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import type { StoreAccess } from "./verb-needs.ts";

/** The attempts of a job of the endpoint, with the hosts and GPUs of their workers. */
export async function withPlaces(
  engine: StoreAccess & WithConfiguration,
  endpoint: string,
  attempts: readonly UnplacedAttempt[],
): Promise<TimelineAttempt[]> {
  const places = await placesOf(
    engine,
    endpoint,
    attempts.flatMap(({ worker }) => worker ?? []),
  );
  const now = engine.clock.now();
  return attempts.map((attempt) => {
    const place = attempt.worker === undefined ? undefined : places.get(attempt.worker);
    return { ...attempt, place, gpuSeconds: place && gpuSeconds(place, attempt, now) };
  });
}

/**
 * Where those of these workers run, or ran, that Forebay started. The record of a worker says so while there
 * is one, and a past worker from then on: the store is read only for these.
 */
async function placesOf(
  { configuration, store }: StoreAccess & WithConfiguration,
  endpoint: string,
  workers: readonly string[],
): Promise<ReadonlyMap<string, WorkerPlace>> {
  const places = new Map<string, WorkerPlace>();
  const past = new Set<string>();
  for (const worker of workers) {
    const token = configuration.get("worker", tokenIdOf(worker));
    const place = token && placeOf(token);
    if (place !== undefined) places.set(worker, place);
    if (token === undefined) past.add(worker);
  }
  if (past.size === 0) return places;
  for (const { id, host, gpus } of await store.pastWorkers(endpoint, [...past])) {
    places.set(id, { host, gpus });
  }
  return places;
}

/** Those of an attempt that runs are counted until `now`. */
function gpuSeconds(
  { gpus }: WorkerPlace,
  { startedAt, endedAt }: UnplacedAttempt,
  now: number,
): number | undefined {
  if (gpus.length === 0) return undefined;
  return (gpus.length * Math.max(0, (endedAt ?? now) - startedAt)) / 1_000;
}
