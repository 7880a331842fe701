import type { Clock } from "../domain/clock.ts";
import type { TakenJob } from "../domain/job.ts";
import type { WorkerLoad } from "./known-workers.ts";

/** A call for jobs that waits because there was none. A listener: the event ends the wait. */
export interface ParkedTake extends EventListenerObject {
  /** Jobs once there are some; none when the hold is over or the call has left. */
  readonly jobs: Promise<readonly TakenJob[]>;
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

/** What happens while a call waits. */
export interface WhileParked {
  /** Whether the call is the only sign that the worker lives. */
  readonly isSilent: (endpoint: string, worker: string) => boolean;
  /** How often `notice` is called for such a worker, ms. */
  readonly pingInterval: number;
  /** Notes that the worker waits. If it rejects, so does the call. */
  readonly notice: (endpoint: string, worker: string) => Promise<unknown> | undefined;
}

/** A call may wait this much longer than its hold, so that many calls share a timer; ms. */
const LOOK_INTERVAL = 50;

/**
 * The parked calls for jobs of each endpoint. A job goes to the least loaded worker of the version that is to
 * run, among equals to the one that has waited longest (design, row 26). Jobs that are stored in the same
 * commit reach a call together.
 */
export class ParkedTakes {
  readonly #clock: Clock;
  readonly #rules: HandOutRules;
  readonly #meanwhile: WhileParked;
  // Sets keep the order of arrival: who waited longest comes first.
  readonly #places = new Map<string, Set<Place>>();
  #isStopped = false;
  /** When we look at all calls next, by `#time`. */
  #lookAt = Infinity;
  /** How much time has passed for the calls while the clock stood still, because it was set back; ms. */
  #ahead = 0;
  #stopTimer = (): void => undefined;

  constructor(clock: Clock, rules: HandOutRules, meanwhile: WhileParked) {
    this.#clock = clock;
    this.#rules = rules;
    this.#meanwhile = meanwhile;
  }

  park(endpoint: string, worker: string, slots: number, until: number): ParkedTake {
    const place = new Place(endpoint, worker, slots, until + this.#ahead, this.#leave);
    const present = this.#places.get(endpoint);
    if (present === undefined) this.#places.set(endpoint, new Set([place]));
    else present.add(place);
    if (this.#isStopped) this.#leave(place);
    else this.#lookLater(place);
    return place;
  }

  /** A place at a call of any worker but these. */
  claim(endpoint: string, except?: ReadonlySet<string>): Claim | undefined {
    const place = this.#rules.isPaused(endpoint) ? undefined : this.#leastLoaded(endpoint, except);
    if (place === undefined) return undefined;
    place.slots--;
    place.claimed++;
    return { worker: place.worker, settle: (job) => this.#settle(place, job) };
  }

  /** The calls of this worker leave: it gets no more jobs. */
  release(endpoint: string, worker: string): void {
    for (const place of this.#places.get(endpoint) ?? []) {
      if (place.worker === worker) this.#leave(place);
    }
  }

  /** All calls of the endpoint leave: it is gone. */
  releaseAll(endpoint: string): void {
    for (const place of this.#places.get(endpoint) ?? []) this.#leave(place);
  }

  /** Endpoints with a parked call. */
  endpoints(): string[] {
    return [...this.#places.keys()];
  }

  /** All calls leave, and every later one at once: the server stops. */
  stop(): void {
    this.#isStopped = true;
    this.#stopTimer();
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

  #settle(place: Place, job: TakenJob | undefined): void {
    place.claimed--;
    if (job === undefined) place.slots++;
    else place.taken = [...place.taken, job];
    // With a job in hand the call takes no further claims, only those that are on their way.
    if (place.taken.length > 0 || place.isLeaving) this.#leave(place);
  }

  readonly #leave = (place: Place): void => {
    place.isLeaving = true;
    const { endpoint } = place;
    const present = this.#places.get(endpoint);
    present?.delete(place);
    if (present?.size === 0) this.#places.delete(endpoint);
    if (place.claimed === 0) place.resolve(place.taken);
  };

  /** Plans a look at the time when the next thing happens to this call. */
  #lookLater(place: Place): void {
    const { isSilent, pingInterval } = this.#meanwhile;
    if (isSilent(place.endpoint, place.worker)) place.noticeAt = this.#time() + pingInterval;
    this.#lookBy(Math.min(place.until, place.noticeAt));
  }

  #lookBy(time: number): void {
    if (time >= this.#lookAt) return;
    this.#stopTimer();
    this.#lookAt = time;
    this.#stopTimer = this.#clock.after(Math.max(0, time - this.#time()), () => this.#look());
  }

  #time(): number {
    return this.#clock.now() + this.#ahead;
  }

  #look(): void {
    this.#ahead += Math.max(0, this.#lookAt - this.#time());
    const now = this.#time();
    this.#lookAt = Infinity;
    let next = Infinity;
    for (const places of this.#places.values()) {
      for (const place of places) {
        if (place.until <= now) this.#leave(place);
        else next = Math.min(next, place.until, this.#notice(place, now));
      }
    }
    if (next < Infinity) this.#lookBy(Math.max(next, now + LOOK_INTERVAL));
  }

  /** When it is to be noticed next. */
  #notice(place: Place, now: number): number {
    if (place.noticeAt > now) return place.noticeAt;
    place.noticeAt = now + this.#meanwhile.pingInterval;
    this.#meanwhile.notice(place.endpoint, place.worker)?.catch((error: unknown) => this.#fail(place, error));
    return place.noticeAt;
  }

  /** A call that gets a job has not failed. */
  #fail(place: Place, error: unknown): void {
    if (!place.isLeaving && place.claimed === 0) place.resolve(Promise.reject(error));
    this.#leave(place);
  }
}

const NO_JOBS: readonly TakenJob[] = [];

/** One object: thousands of calls wait. */
class Place implements ParkedTake {
  readonly endpoint: string;
  readonly worker: string;
  readonly until: number;
  readonly jobs: Promise<readonly TakenJob[]>;
  /** Answers the call. */
  readonly resolve: (jobs: readonly TakenJob[] | Promise<never>) => void;
  readonly #leave: (place: Place) => void;
  slots: number;
  claimed = 0;
  isLeaving = false;
  taken = NO_JOBS;
  noticeAt = Infinity;

  constructor(endpoint: string, worker: string, slots: number, until: number, leave: (place: Place) => void) {
    this.endpoint = endpoint;
    this.worker = worker;
    this.slots = slots;
    this.until = until;
    this.#leave = leave;
    const { promise, resolve } = Promise.withResolvers<readonly TakenJob[]>();
    this.jobs = promise;
    this.resolve = resolve;
  }

  leave(): void {
    this.#leave(this);
  }

  handleEvent(): void {
    this.#leave(this);
  }
}
