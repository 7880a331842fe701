import type { Endpoint } from "../domain/endpoint.ts";
import type { Engine } from "../engine/engine.ts";
import { askReplacement } from "../engine/fleet-state.ts";
import { pinRelease } from "../engine/records/releases.ts";
import { stopKey } from "../engine/wait-keys.ts";
import { workerEnvironment } from "../engine/worker-environment.ts";
import { gpuVariables } from "../fleet/gpu/gpu-variables.ts";
import type { Host, Hosts } from "../fleet/hosts.ts";
import { StartFault, type WorkerOrder } from "../fleet/provider.ts";
import { misplacedWorkers } from "./check-devices.ts";
import { HostWorkers } from "./host-workers.ts";
import { type PlacedWorker, WorkerPlaces } from "./place-worker.ts";
import { type StartPlan, startPlan } from "./start-plan.ts";
import { adoptWorkers, forgetAll, type HostTending, loseWorkersOn, tidyHost } from "./tend-host.ts";
import { type UnaskedExit, WorkerExits } from "./worker-exits.ts";

/** How long a look at all hosts waits for the slow ones, ms. */
const TIDY_PATIENCE = 1_000;

/** The workers that Forebay starts: what their hosts do with them, and what that means for their jobs. */
export interface FleetWorkers {
  /** Takes over the workers of an earlier server: some still run, and the others have died. */
  adopt(): Promise<void>;
  /**
   * Starts a worker of the newest release. With `isEarlier`, and while that release is paused, the worker is
   * of the version that served before. Resolves when the worker has a record. If its start fails after that,
   * `settleExits` says so. Throws NoRoom, StartFault and TEMPLATE_NOT_FOUND; then nothing of it is left.
   */
  start(endpoint: Endpoint, isEarlier?: boolean): Promise<void>;
  /** Gives the worker no more jobs and stops it. Kills it after `grace` ms. Does not wait for that. */
  end(worker: string, grace: number): void;
  /** Gives the worker no more jobs. It ends when it has none. */
  retire(worker: string): void;
  /** Kills a worker that has failed. `settleExits` gives `because` as the reason of its end. */
  fail(worker: string, because: string): void;
  /** Stops all workers that are not stopping yet: another server starts as many as the jobs need. */
  endAll(): void;
  /** Hands the jobs of ended workers out again. Answers the workers that nobody had asked to end. */
  settleExits(): Promise<readonly UnaskedExit[]>;
  /**
   * Stops workers without a record, and removes what is stored for deleted endpoints. Finds hosts that do not
   * answer. Waits a second at most: a host that takes longer is looked at meanwhile, and not twice at once.
   */
  tidy(): Promise<void>;
  /** Lets the jobs of workers run elsewhere whose host has not answered for too long. */
  loseAway(): Promise<void>;
  /** The server stops: workers that would not outlive it end, and their jobs go back. */
  stop(): Promise<void>;
}

export function fleetWorkers(engine: Engine, hosts: Hosts, publicUrl: () => string): FleetWorkers {
  return new HostedWorkers(engine, hosts, publicUrl);
}

class HostedWorkers implements FleetWorkers {
  readonly #engine: Engine;
  readonly #hosts: Hosts;
  readonly #publicUrl: () => string;
  readonly #exits: WorkerExits;
  readonly #places: WorkerPlaces;
  readonly #workers: HostWorkers;
  readonly #tending: HostTending;
  /** The hosts whose exits are heard. */
  readonly #heard = new WeakSet<Host>();
  /** The hosts that are being looked at. */
  readonly #tidying = new Set<Host>();
  /** How many workers are getting their records. */
  #placing = 0;

  constructor(engine: Engine, hosts: Hosts, publicUrl: () => string) {
    this.#engine = engine;
    this.#hosts = hosts;
    this.#publicUrl = publicUrl;
    this.#exits = new WorkerExits(engine);
    this.#places = new WorkerPlaces(engine, hosts);
    this.#workers = new HostWorkers(engine);
    this.#tending = {
      engine,
      workers: this.#workers,
      surplus: new Set(),
      lostHere: new Set(),
      onEnded: (worker) =>
        this.#exits.add({ worker, how: "it exited while no server was running", lastLines: [] }, true),
      isPlacing: () => this.#placing > 0,
    };
    hosts.onRemoved((host) => this.#leave(host));
  }

  async adopt(): Promise<void> {
    await this.#onEachHost((host) => adoptWorkers(this.#tending, host));
  }

  async start(endpoint: Endpoint, isEarlier = false): Promise<void> {
    const engine = this.#engine;
    const plan = await startPlan(engine, this.#hosts, endpoint, isEarlier);
    const { release, template, cores, shmSizeInMb, login } = plan;
    // The token is durable before the worker runs: from now on a record names the worker, whatever happens.
    const { host, gpus, ...created } = await this.#placed(endpoint, plan);
    const worker = created.record.id;
    const environment = {
      ...workerEnvironment(created, this.#publicUrl(), engine.durations.pingInterval),
      ...gpuVariables(gpus ?? []),
    };
    const order = { worker, endpoint: endpoint.id, template, environment, gpus, cores, shmSizeInMb, login };
    // Not awaited: an image may have to be pulled first.
    void this.#startOn(host, order, release.id);
  }

  end(worker: string, grace: number): void {
    this.#stop(worker, grace).catch((error: unknown) => {
      this.#engine.log.error("a worker could not be ended", { worker, error: String(error) });
    });
  }

  retire(worker: string): void {
    const endpoint = this.#engine.fleet.managed.get(worker)?.endpoint;
    if (endpoint !== undefined) askReplacement(this.#engine, { endpoint, id: worker });
  }

  fail(worker: string, because: string): void {
    this.#exits.expectFailure(worker, because);
    this.end(worker, 0);
  }

  endAll(): void {
    const { fleet, durations } = this.#engine;
    fleet.reports.clear();
    for (const id of fleet.managed.keys()) if (!fleet.draining.has(id)) this.end(id, durations.drainGrace);
  }

  settleExits(): Promise<readonly UnaskedExit[]> {
    return this.#exits.settle((worker) => this.#workers.remove(worker));
  }

  async tidy(): Promise<void> {
    const all = this.#onEachHost((host) => this.#tidyOnce(host));
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#engine.clock.after(TIDY_PATIENCE, resolve);
    const isLate = await Promise.race([all.then(() => false), late.then(() => true)]).finally(cancel);
    if (!isLate) return;
    const { log } = this.#engine;
    all.catch((error: unknown) => log.error("the look at a slow host failed", { error: String(error) }));
  }

  async loseAway(): Promise<void> {
    await this.#onEachHost((host) => loseWorkersOn(this.#tending, host));
  }

  async stop(): Promise<void> {
    await this.#onEachHost(async (host) => {
      if (host.provider.outlivesServer) return;
      const { drainGrace } = this.#engine.durations;
      await Promise.all(this.#workers.on(host).map((worker) => this.#stop(worker, drainGrace)));
    });
    await this.settleExits();
    for (const { provider, close } of this.#hosts.all()) {
      if (!provider.outlivesServer) await forgetAll(provider);
      await provider.close();
      await close();
    }
    await this.#workers.noted();
  }

  async #onEachHost(work: (host: Host) => Promise<void>): Promise<void> {
    const hosts = this.#hosts.all();
    for (const host of hosts) this.#hear(host);
    await Promise.all(hosts.map(work));
  }

  async #tidyOnce(host: Host): Promise<void> {
    if (this.#tidying.has(host)) return;
    const { fleet, durations } = this.#engine;
    this.#tidying.add(host);
    try {
      await tidyHost(this.#tending, host);
      // What it listed before it was away can be over.
      if (fleet.awayHosts.has(host.name)) return;
      const misplaced = await misplacedWorkers(this.#engine, host.provider);
      for (const worker of misplaced) this.end(worker, durations.drainGrace);
    } finally {
      this.#tidying.delete(host);
    }
  }

  /** Hosts can be added at any time. */
  #hear(host: Host): void {
    if (this.#heard.has(host)) return;
    this.#heard.add(host);
    host.provider.onExit((exit) => this.#exits.add(exit, true));
  }

  /** The worker has a record, and is managed, although nothing of it runs yet. */
  async #placed(endpoint: Endpoint, plan: StartPlan): Promise<PlacedWorker> {
    const { release, template } = plan;
    this.#placing++;
    try {
      const kind = { many: false, managed: true, template: template.id, version: release.number };
      const placed = await this.#places.place(endpoint, kind, plan);
      this.#hear(placed.host);
      const since = { orderedAt: this.#engine.clock.now(), runsSince: undefined };
      this.#workers.add(placed.record.id, endpoint.id, placed.host, since);
      return placed;
    } finally {
      this.#placing--;
    }
  }

  /** The host was deleted: nobody can stop its workers any more, and their jobs run elsewhere. */
  #leave(host: Host): void {
    for (const worker of this.#workers.on(host)) {
      this.#engine.fleet.draining.add(worker);
      this.#exits.add({ worker, how: "its host was deleted", lastLines: [] }, true);
    }
  }

  async #startOn(host: Host, order: WorkerOrder, release: string): Promise<void> {
    const { fleet, log } = this.#engine;
    try {
      const { pinnedImage, pullMs } = await host.provider.start(order);
      const managed = fleet.managed.get(order.worker);
      if (managed !== undefined) managed.pullMs = pullMs;
      this.#workers.noteRunning(order.worker);
      if (pinnedImage !== undefined) await this.#pin(release, pinnedImage);
    } catch (error) {
      if (!(error instanceof StartFault)) {
        log.error("the start of a worker failed", { worker: order.worker, error: String(error) });
      }
      const how = error instanceof Error ? error.message : String(error);
      this.#exits.add({ worker: order.worker, how, lastLines: [] }, false);
    }
  }

  /** If this fails, the next start tries again. */
  async #pin(release: string, pinnedImage: string): Promise<void> {
    try {
      await pinRelease(this.#engine, release, pinnedImage);
    } catch (error) {
      this.#engine.log.warn("the digest of an image could not be kept", {
        image: pinnedImage,
        error: String(error),
      });
    }
  }

  async #stop(worker: string, grace: number): Promise<void> {
    const { fleet, parkedTakes, waits } = this.#engine;
    const managed = fleet.managed.get(worker);
    if (managed === undefined) return;
    fleet.draining.add(worker);
    // Answer its open polls first: otherwise a job could go to one after the signal, and be lost with it.
    parkedTakes.release(managed.endpoint, worker);
    waits.notify(stopKey(managed.endpoint, worker));
    await this.#workers.hostOf(worker)?.provider.stop(worker, grace);
  }
}
