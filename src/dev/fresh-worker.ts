import type { FleetWorkers } from "../background/fleet-workers.ts";
import type { BackgroundJob } from "../background/run-background-jobs.ts";
import { endpointLoad } from "../engine/health.ts";
import type { Engine } from "../engine/engine.ts";
import { FLEET_KEY } from "../engine/wait-keys.ts";
import { type Backoff, backoffAfter } from "../fleet/backoff.ts";
import type { WorkerExit } from "../fleet/provider.ts";

/** What happened to the newest worker. */
export type WorkerEvent =
  /** It has asked for jobs. */
  | { readonly kind: "ready" }
  /** It ended by itself after it had asked for jobs. Another one starts after a wait. */
  | { readonly kind: "crashed"; readonly how: string }
  /** It ended before it asked for jobs, or could not be started. The next reload starts another one. */
  | { readonly kind: "broken"; readonly how: string };

/** While a worker starts, it is checked this often, ms. */
const STARTING = 10;
/** Otherwise a signal wakes the check, at the latest after this, ms. */
const POLL = 1_000;

/** Between two checks, ms. */
const PAUSE = 1;

/** The one worker of one endpoint whose code changes. */
export class FreshWorker {
  readonly #endpoint: string;
  readonly #onEvent: (event: WorkerEvent) => void;
  #newest: string | undefined;
  #isReady = false;
  #isBroken = false;
  #backoff: Backoff | undefined;
  #isReloadDue = false;
  #signal = (): void => undefined;
  #killAll = (): void => undefined;

  /** `onEvent` hears of the newest worker only. */
  constructor(endpoint: string, onEvent: (event: WorkerEvent) => void) {
    this.#endpoint = endpoint;
    this.#onEvent = onEvent;
  }

  /** The background job that keeps the worker running. */
  job(engine: Engine, workers: FleetWorkers): BackgroundJob {
    const signals = engine.waits.open(FLEET_KEY);
    this.#signal = () => engine.waits.notify(FLEET_KEY);
    this.#killAll = () => endAll(engine, workers, 0);
    const run = async (): Promise<void> => {
      await signals.next(this.#nextLook(engine));
      await this.#lookAtNewest(engine, workers);
      if (engine.isStopping) return;
      // A worker that has asked to be replaced ends as one with old code does.
      const isReplaced = this.#newest !== undefined && engine.fleet.toReplace.has(this.#newest);
      if (this.#isReloadDue || isReplaced) this.#drainAll(engine, workers);
      const isTime = engine.clock.now() >= (this.#backoff?.until ?? 0);
      if (this.#newest === undefined && !this.#isBroken && isTime) await this.#start(engine, workers);
    };
    return { name: "keep a fresh worker", every: PAUSE, run };
  }

  /** The running worker gets no more jobs and ends. One with the new code starts beside it at once. */
  reload(): void {
    this.#isReloadDue = true;
    this.#signal();
  }

  /** Kills all workers at once. */
  kill(): void {
    this.#killAll();
  }

  #nextLook(engine: Engine): number {
    const now = engine.clock.now();
    const isStarting = this.#newest !== undefined && !this.#isReady;
    const restart = this.#newest === undefined ? (this.#backoff?.until ?? 0) : 0;
    return Math.min(now + (isStarting ? STARTING : POLL), restart > now ? restart : Infinity);
  }

  async #lookAtNewest(engine: Engine, workers: FleetWorkers): Promise<void> {
    // Before the exits are settled: that deletes what is known of the worker's calls.
    const { running } = await endpointLoad(engine, this.#endpoint);
    const unasked = await workers.settleExits();
    const newest = this.#newest;
    if (newest === undefined) return;
    if (!this.#isReady && running.has(newest)) {
      this.#isReady = true;
      this.#onEvent({ kind: "ready" });
    }
    const exit = unasked.find(({ worker }) => worker === newest);
    if (!engine.fleet.managed.has(newest)) this.#newest = undefined;
    if (exit !== undefined) this.#ended(engine, exit);
  }

  #ended(engine: Engine, { worker, how, lastLines }: WorkerExit): void {
    const now = engine.clock.now();
    this.#isBroken = !this.#isReady;
    if (this.#isReady) this.#backoff = backoffAfter(this.#backoff, true, now);
    // The server says with it why jobs wait.
    engine.fleet.reports.set(this.#endpoint, {
      state: this.#isBroken ? "CRASH_LOOP" : "UNHEALTHY",
      reason: undefined,
      nextStartAt: this.#isBroken ? undefined : this.#backoff?.until,
      lastExit: { worker, how, at: now, lastLines },
      throttled: 0,
      unhealthy: 1,
    });
    this.#onEvent({ kind: this.#isBroken ? "broken" : "crashed", how });
  }

  #drainAll(engine: Engine, workers: FleetWorkers): void {
    this.#isReloadDue = false;
    this.#isBroken = false;
    this.#backoff = undefined;
    this.#newest = undefined;
    endAll(engine, workers, engine.durations.drainGrace);
  }

  async #start(engine: Engine, workers: FleetWorkers): Promise<void> {
    const target = engine.configuration.get("endpoint", this.#endpoint);
    if (target === undefined) return;
    const before = new Set(engine.fleet.managed.keys());
    engine.fleet.reports.delete(this.#endpoint);
    await workers.start(target);
    this.#isReady = false;
    this.#newest = [...engine.fleet.managed.keys()].find((worker) => !before.has(worker));
  }
}

function endAll(engine: Engine, workers: FleetWorkers, grace: number): void {
  for (const worker of engine.fleet.managed.keys()) workers.end(worker, grace);
}
