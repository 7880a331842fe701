import type { Endpoint } from "../domain/endpoint.ts";
import type { WorkerToken } from "../domain/worker.ts";
import type { Engine } from "../engine/engine.ts";
import { askReplacement, type ManagedWorker } from "../engine/fleet-state.ts";
import { pinRelease } from "../engine/records/releases.ts";
import { noteRunSince } from "../engine/records/template-uses.ts";
import { createWorkerToken } from "../engine/records/worker-tokens.ts";
import { stopKey } from "../engine/wait-keys.ts";
import { workerEnvironment } from "../engine/worker-environment.ts";
import { retireWorker } from "../engine/worker-gone.ts";
import {
  type Provider,
  ProviderAway,
  type Providers,
  StartFault,
  type WorkerOrder,
} from "../fleet/provider.ts";
import { startPlan } from "./start-plan.ts";
import { forgetAll, tidyProvider } from "./tidy-provider.ts";
import { type UnaskedExit, WorkerExits } from "./worker-exits.ts";

/** The workers that Forebay starts: what the providers do with them, and what that means for their jobs. */
export interface FleetWorkers {
  /** Takes over the workers of an earlier server: some still run, and the others have died. */
  adopt(): Promise<void>;
  /**
   * Starts a worker of the newest release. With `isEarlier`, and while that release is paused, the worker is
   * of the version that served before. Resolves when the worker has a record. If its start fails after that,
   * `settleExits` says so. Throws StartFault and TEMPLATE_NOT_FOUND; then nothing of the worker is left.
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
  /** Stops workers without a record, and removes what is stored for deleted endpoints. */
  tidy(): Promise<void>;
  /** The server stops: workers that would not outlive it end, and their jobs go back. */
  stop(): Promise<void>;
}

type WorkerSince = Pick<ManagedWorker, "orderedAt" | "runsSince" | "hadJob">;

export function fleetWorkers(engine: Engine, providers: Providers, publicUrl: () => string): FleetWorkers {
  return new ProvidedWorkers(engine, providers, publicUrl);
}

class ProvidedWorkers implements FleetWorkers {
  readonly #engine: Engine;
  readonly #providers: Providers;
  readonly #publicUrl: () => string;
  readonly #exits: WorkerExits;
  readonly #providerOf = new Map<string, Provider>();
  /** Providers that have not answered yet. Until they do, their workers count as running. */
  readonly #unreached = new Set<Provider>();
  /** Settled when the records say which workers run. */
  #noted: Promise<unknown> = Promise.resolve();

  constructor(engine: Engine, providers: Providers, publicUrl: () => string) {
    this.#engine = engine;
    this.#providers = providers;
    this.#publicUrl = publicUrl;
    this.#exits = new WorkerExits(engine);
    for (const provider of providers.all) provider.onExit((exit) => this.#exits.add(exit, true));
  }

  async adopt(): Promise<void> {
    for (const provider of this.#providers.all) await this.#adoptFrom(provider);
  }

  async start(endpoint: Endpoint, isEarlier = false): Promise<void> {
    const engine = this.#engine;
    const plan = await startPlan(engine, this.#providers, endpoint, isEarlier);
    const { provider, release, template, gpus, cores, login } = plan;
    // The token is durable before the worker runs: from now on a record names the worker, whatever happens.
    const kind = {
      many: false,
      managed: true,
      provider: provider.name,
      template: template.id,
      version: release.number,
    };
    const created = await createWorkerToken(engine, endpoint, kind);
    const worker = created.record.id;
    this.#manage(worker, endpoint.id, provider, { orderedAt: engine.clock.now(), runsSince: undefined });
    const environment = workerEnvironment(created, this.#publicUrl(), engine.durations.pingInterval);
    const order = { worker, endpoint: endpoint.id, template, environment, gpus, cores, login };
    // Not awaited: an image may have to be pulled first.
    void this.#startBy(provider, order, release.id);
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
    return this.#exits.settle((worker) => void this.#providerOf.delete(worker));
  }

  async tidy(): Promise<void> {
    for (const provider of this.#providers.all) {
      await tidyProvider(this.#engine, provider, (running) => this.#settleUnreached(provider, running));
    }
  }

  async stop(): Promise<void> {
    const ending = [...this.#providerOf].filter(([, { outlivesServer }]) => !outlivesServer);
    await Promise.all(ending.map(([id]) => this.#stop(id, this.#engine.durations.drainGrace)));
    await this.settleExits();
    for (const provider of this.#providers.all) {
      if (!provider.outlivesServer) await forgetAll(provider);
      await provider.close();
    }
    await this.#noted;
  }

  #manage(worker: string, endpoint: string, provider: Provider, since: WorkerSince): void {
    const { fleet, clock } = this.#engine;
    this.#providerOf.set(worker, provider);
    fleet.managed.set(worker, { endpoint, ...since, lastJobAt: clock.now(), hasCalled: false });
  }

  async #adoptFrom(provider: Provider): Promise<void> {
    const { clock, log } = this.#engine;
    const tokens = this.#tokensOf(provider);
    const hadJob = await this.#haveCalled(tokens);
    try {
      const running = new Set(await provider.list());
      const runsSince = clock.now();
      for (const token of tokens) {
        const { id, endpoint } = token;
        if (running.has(id)) {
          this.#manage(id, endpoint, provider, { orderedAt: undefined, runsSince, hadJob: hadJob.has(id) });
          this.#noteRunning(id);
        } else await retireWorker(this.#engine, endpoint, id, this.#isOwn(token) ? "died" : "withdrawn");
      }
    } catch (error) {
      if (!(error instanceof ProviderAway)) throw error;
      log.warn("workers are taken to run until they can be asked for", { reason: error.message });
      this.#unreached.add(provider);
      const since = { orderedAt: undefined, runsSince: undefined };
      for (const { id, endpoint } of tokens)
        this.#manage(id, endpoint, provider, { ...since, hadJob: hadJob.has(id) });
    }
  }

  /** The records of the workers that this server has at the provider, or had. */
  #tokensOf({ name }: Provider): WorkerToken[] {
    const { configuration, store } = this.#engine;
    // Without other servers, all workers are ours: this server may have adopted the data of another one.
    const isAlone = store.shared === undefined;
    return configuration.all("worker").filter((token) => {
      return token.managed && (isAlone || this.#isOwn(token)) && (token.provider ?? "process") === name;
    });
  }

  #isOwn({ server }: WorkerToken): boolean {
    return server === undefined || server === this.#engine.server;
  }

  /** Ids of the workers that have called an earlier server, so that they can have had jobs. */
  async #haveCalled(tokens: readonly WorkerToken[]): Promise<ReadonlySet<string>> {
    const endpoints = [...new Set(tokens.map(({ endpoint }) => endpoint))];
    const contacts = await Promise.all(endpoints.map((endpoint) => this.#engine.store.workers(endpoint, 0)));
    return new Set(contacts.flat().map(({ worker }) => worker));
  }

  /** The provider answers now: notes which of its workers run, and which ended meanwhile. */
  #settleUnreached(provider: Provider, running: ReadonlySet<string>): void {
    if (!this.#unreached.delete(provider)) return;
    for (const [worker, its] of this.#providerOf) {
      if (its !== provider) continue;
      if (running.has(worker)) this.#noteRunning(worker);
      else this.#exits.add({ worker, how: "it ended while nobody watched", lastLines: [] }, true);
    }
  }

  #noteRunning(worker: string): void {
    const { fleet, clock, log } = this.#engine;
    const managed = fleet.managed.get(worker);
    if (managed === undefined) return;
    managed.runsSince ??= clock.now();
    const noting = noteRunSince(this.#engine, worker).catch((error: unknown) => {
      log.error("since when a worker runs was not written", { worker, error: String(error) });
    });
    this.#noted = Promise.all([this.#noted, noting]);
  }

  async #startBy(provider: Provider, order: WorkerOrder, release: string): Promise<void> {
    const { fleet, log } = this.#engine;
    try {
      const { pinnedImage, pullMs } = await provider.start(order);
      const managed = fleet.managed.get(order.worker);
      if (managed !== undefined) managed.pullMs = pullMs;
      this.#noteRunning(order.worker);
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
    await this.#providerOf.get(worker)?.stop(worker, grace);
  }
}
