import type { Clock } from "../domain/clock.ts";
import type { TakenJob } from "../domain/job.ts";
import type { WorkerLoad } from "./known-workers.ts";

/** A call for jobs that waits because there was none. */
export interface ParkedTake {
  /** Jobs once there are some; none when the hold is over or the call has left. */
  readonly jobs: Promise<TakenJob[]>;
  /** The caller is gone: no further job goes to it. What is on its way still arrives in `jobs`. */
  leave(): void;
}

/** A place for one job at a parked call. Whoever claims it must say what became of it. */
export interface Claim {
  readonly worker: string;
  /** The job that was taken for the call; undefined when there was none after all. */
  settle(job: TakenJob | undefined): void;
}

/**
 * The parked calls for jobs of each endpoint. A job goes to the least loaded worker of the version that is to
 * run, among equals to the one that has waited longest (design, row 26). Jobs that are stored in the same
 * commit reach a call together.
 */
export interface ParkedTakes {
  park(endpoint: string, worker: string, slots: number, until: number): ParkedTake;
  /** A place at a call of any worker but these. */
  claim(endpoint: string, except?: ReadonlySet<string>): Claim | undefined;
  /** The calls of this worker leave: it gets no more jobs. */
  release(endpoint: string, worker: string): void;
  /** All calls of the endpoint leave: it is gone. */
  releaseAll(endpoint: string): void;
  /** Endpoints with a parked call. */
  endpoints(): string[];
  /** All calls leave, and every later one at once: the server stops. */
  stop(): void;
}

interface Place {
  readonly worker: string;
  /** Answers the call. */
  readonly resolve: (jobs: TakenJob[]) => void;
  readonly stopTimer: () => void;
  slots: number;
  claimed: number;
  isLeaving: boolean;
  readonly jobs: TakenJob[];
}

/** What decides who gets a job. */
export interface HandOutRules {
  readonly load: WorkerLoad;
  /** No place is claimed on such an endpoint; its calls are held all the same. */
  readonly isPaused: (endpoint: string) => boolean;
  /** Such a worker gets a job only where no other one waits. */
  readonly isOutdated: (endpoint: string, worker: string) => boolean;
}

export function parkedTakes(clock: Clock, { load, isPaused, isOutdated }: HandOutRules): ParkedTakes {
  // Sets keep the order of arrival: who waited longest comes first.
  const places = new Map<string, Set<Place>>();
  let isStopped = false;

  function leave(endpoint: string, place: Place): void {
    place.isLeaving = true;
    const present = places.get(endpoint);
    present?.delete(place);
    if (present?.size === 0) places.delete(endpoint);
    if (place.claimed > 0) return;
    place.stopTimer();
    place.resolve(place.jobs);
  }

  function releaseAll(endpoint: string): void {
    for (const place of places.get(endpoint) ?? []) leave(endpoint, place);
  }

  function leastLoaded(endpoint: string, except?: ReadonlySet<string>): Place | undefined {
    let best: Place | undefined;
    let bestLoad = Number.POSITIVE_INFINITY;
    let isBestOutdated = true;
    for (const place of places.get(endpoint) ?? []) {
      if (place.slots === 0 || except?.has(place.worker)) continue;
      const isOld = isOutdated(endpoint, place.worker);
      const placeLoad = load.of(endpoint, place.worker) + place.claimed;
      if (placeLoad === 0 && !isOld) return place;
      const isBetter = isOld === isBestOutdated ? placeLoad < bestLoad : isBestOutdated;
      if (isBetter) [best, bestLoad, isBestOutdated] = [place, placeLoad, isOld];
    }
    return best;
  }

  return {
    park(endpoint, worker, slots, until) {
      const { promise, resolve } = Promise.withResolvers<TakenJob[]>();
      const leaveNow = () => leave(endpoint, place);
      const stopTimer = clock.after(Math.max(0, until - clock.now()), leaveNow);
      const place: Place = { worker, resolve, stopTimer, slots, claimed: 0, isLeaving: false, jobs: [] };
      const present = places.get(endpoint);
      if (present === undefined) places.set(endpoint, new Set([place]));
      else present.add(place);
      if (isStopped) leave(endpoint, place);
      return { jobs: promise, leave: leaveNow };
    },

    claim(endpoint, except) {
      const place = isPaused(endpoint) ? undefined : leastLoaded(endpoint, except);
      if (place === undefined) return undefined;
      place.slots--;
      place.claimed++;
      return {
        worker: place.worker,
        settle(job) {
          place.claimed--;
          if (job === undefined) place.slots++;
          else place.jobs.push(job);
          // With a job in hand the call takes no further claims, only those that are on their way.
          if (place.jobs.length > 0 || place.isLeaving) leave(endpoint, place);
        },
      };
    },

    release(endpoint, worker) {
      for (const place of places.get(endpoint) ?? []) if (place.worker === worker) leave(endpoint, place);
    },

    releaseAll,

    endpoints: () => [...places.keys()],

    stop() {
      isStopped = true;
      for (const endpoint of places.keys()) releaseAll(endpoint);
    },
  };
}
