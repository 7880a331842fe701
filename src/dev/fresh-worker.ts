import type { Duty } from "../duties/duty.ts";
import type { FleetWorkers } from "../duties/fleet-workers.ts";
import { endpointLoad } from "../engine/health.ts";
import type { Engine } from "../engine/engine.ts";
import { FLEET_KEY } from "../engine/wait-keys.ts";
import { type Backoff, backoffAfter } from "../fleet/backoff.ts";

/** What became of the newest worker. */
export type WorkerEvent =
  /** It has called for jobs. */
  | { readonly kind: "ready" }
  /** It ended by itself after it had called: another one follows after a while. */
  | { readonly kind: "crashed"; readonly how: string }
  /** It ended, or could not be started, before it had called: the next reload starts another one. */
  | { readonly kind: "broken"; readonly how: string };

/** One worker of one endpoint, whose code changes. */
export interface FreshWorker {
  /** Keeps the worker running. */
  duty(engine: Engine, workers: FleetWorkers): Duty;
  /** The worker that runs gets no more jobs and ends; one of the new code starts beside it at once. */
  reload(): void;
  /** Kills all that runs, at once. */
  kill(): void;
}

/** While a worker starts it is looked at this often, ms; else a signal tells, or else this. */
const STARTING = 10;
const POLL = 1_000;

/** Between two looks, ms. */
const PAUSE = 1;

/** `onEvent` is told of the newest worker, and no longer of those before it. */
export function freshWorker(endpoint: string, onEvent: (event: WorkerEvent) => void): FreshWorker {
  let newest: string | undefined;
  let isReady = false;
  let isBroken = false;
  let backoff: Backoff | undefined;
  let isReloadDue = false;
  let signal = (): void => undefined;
  let killAll = (): void => undefined;

  function duty(engine: Engine, workers: FleetWorkers): Duty {
    const signals = engine.waits.open(FLEET_KEY);
    signal = () => engine.waits.notify(FLEET_KEY);
    killAll = () => endAll(0);

    async function run(): Promise<void> {
      await signals.next(nextLook());
      await lookAtNewest();
      if (engine.isStopping) return;
      // One that has asked to be replaced is ended as old code is.
      if (isReloadDue || (newest !== undefined && engine.fleet.toReplace.has(newest))) drainAll();
      const isTime = engine.clock.now() >= (backoff?.until ?? 0);
      if (newest === undefined && !isBroken && isTime) await start();
    }

    function nextLook(): number {
      const now = engine.clock.now();
      const isStarting = newest !== undefined && !isReady;
      const restart = newest === undefined ? (backoff?.until ?? 0) : 0;
      return Math.min(now + (isStarting ? STARTING : POLL), restart > now ? restart : Infinity);
    }

    async function lookAtNewest(): Promise<void> {
      // Before the ends are settled: with them goes what is known of the worker's calls.
      const { running } = await endpointLoad(engine, endpoint);
      const unasked = await workers.settleExits();
      if (newest === undefined) return;
      if (!isReady && running.has(newest)) {
        isReady = true;
        onEvent({ kind: "ready" });
      }
      const exit = unasked.find(({ worker }) => worker === newest);
      if (!engine.fleet.managed.has(newest)) newest = undefined;
      if (exit !== undefined) ended(exit.how);
    }

    function ended(how: string): void {
      isBroken = !isReady;
      if (isReady) backoff = backoffAfter(backoff, true, engine.clock.now());
      onEvent({ kind: isBroken ? "broken" : "crashed", how });
    }

    function drainAll(): void {
      isReloadDue = false;
      isBroken = false;
      backoff = undefined;
      newest = undefined;
      endAll(engine.durations.drainGrace);
    }

    function endAll(grace: number): void {
      for (const worker of engine.fleet.managed.keys()) workers.end(worker, grace);
    }

    async function start(): Promise<void> {
      const target = engine.configuration.get("endpoint", endpoint);
      if (target === undefined) return;
      const before = new Set(engine.fleet.managed.keys());
      await workers.start(target);
      isReady = false;
      newest = [...engine.fleet.managed.keys()].find((worker) => !before.has(worker));
    }

    return { name: "keep a fresh worker", every: PAUSE, run };
  }

  return {
    duty,
    reload() {
      isReloadDue = true;
      signal();
    },
    kill: () => killAll(),
  };
}
