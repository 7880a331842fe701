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

/** A place for one job at a parked call. Whoever claims it must settle it. */
export interface Claim {
  readonly worker: string;
  /** The job that was taken for the call; undefined when there was none after all. */
  settle(job: TakenJob | undefined): void;
}

/** What decides who gets a job. */
export interface HandOutRules {
  readonly load: WorkerLoad;
  /** No place is claimed on such an endpoint; its calls are held all the same. */
  readonly isPaused: (endpoint: string) => boolean;
  /** Such a worker gets a job only where no other one waits. */
  readonly isOutdated: (endpoint: string, worker: string) => boolean;
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

/**
 * The parked calls for jobs of each endpoint. A job goes to the least loaded worker of the version that is to
 * run, among equals to the one that has waited longest (design, row 26). Jobs that are stored in the same
 * commit reach a call together.
 */
export class ParkedTakes {
  readonly #clock: Clock;
  readonly #rules: HandOutRules;
  // Sets keep the order of arrival: who waited longest comes first.
  readonly #places = new Map<string, Set<Place>>();
  #isStopped = false;

  constructor(clock: Clock, rules: HandOutRules) {
    this.#clock = clock;
    this.#rules = rules;
  }

  park(endpoint: string, worker: string, slots: number, until: number): ParkedTake {
    const { promise, resolve } = Promise.withResolvers<TakenJob[]>();
    const leave = () => this.#leave(endpoint, place);
    const stopTimer = this.#clock.after(Math.max(0, until - this.#clock.now()), leave);
    const place: Place = { worker, resolve, stopTimer, slots, claimed: 0, isLeaving: false, jobs: [] };
    const present = this.#places.get(endpoint);
    if (present === undefined) this.#places.set(endpoint, new Set([place]));
    else present.add(place);
    if (this.#isStopped) leave();
    return { jobs: promise, leave };
  }

  /** A place at a call of any worker but these. */
  claim(endpoint: string, except?: ReadonlySet<string>): Claim | undefined {
    const place = this.#rules.isPaused(endpoint) ? undefined : this.#leastLoaded(endpoint, except);
    if (place === undefined) return undefined;
    place.slots--;
    place.claimed++;
    return { worker: place.worker, settle: (job) => this.#settle(endpoint, place, job) };
  }

  /** The calls of this worker leave: it gets no more jobs. */
  release(endpoint: string, worker: string): void {
    for (const place of this.#places.get(endpoint) ?? []) {
      if (place.worker === worker) this.#leave(endpoint, place);
    }
  }

  /** All calls of the endpoint leave: it is gone. */
  releaseAll(endpoint: string): void {
    for (const place of this.#places.get(endpoint) ?? []) this.#leave(endpoint, place);
  }

  /** Endpoints with a parked call. */
  endpoints(): string[] {
    return [...this.#places.keys()];
  }

  /** All calls leave, and every later one at once: the server stops. */
  stop(): void {
    this.#isStopped = true;
    for (const endpoint of this.#places.keys()) this.releaseAll(endpoint);
  }

  #leastLoaded(endpoint: string, except: ReadonlySet<string> | undefined): Place | undefined {
    const { load, isOutdated } = this.#rules;
    let best: Place | undefined;
    let bestLoad = Number.POSITIVE_INFINITY;
    let isBestOutdated = true;
    for (const place of this.#places.get(endpoint) ?? []) {
      if (place.slots === 0 || except?.has(place.worker)) continue;
      const isOld = isOutdated(endpoint, place.worker);
      const placeLoad = load.of(endpoint, place.worker) + place.claimed;
      if (placeLoad === 0 && !isOld) return place;
      const isBetter = isOld === isBestOutdated ? placeLoad < bestLoad : isBestOutdated;
      if (isBetter) [best, bestLoad, isBestOutdated] = [place, placeLoad, isOld];
    }
    return best;
  }

  #settle(endpoint: string, place: Place, job: TakenJob | undefined): void {
    place.claimed--;
    if (job === undefined) place.slots++;
    else place.jobs.push(job);
    // With a job in hand the call takes no further claims, only those that are on their way.
    if (place.jobs.length > 0 || place.isLeaving) this.#leave(endpoint, place);
  }

  #leave(endpoint: string, place: Place): void {
    place.isLeaving = true;
    const present = this.#places.get(endpoint);
    present?.delete(place);
    if (present?.size === 0) this.#places.delete(endpoint);
    if (place.claimed > 0) return;
    place.stopTimer();
    place.resolve(place.jobs);
  }
}
