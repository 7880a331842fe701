import type { Endpoint } from "../domain/endpoint.ts";
import { servingBefore } from "../domain/release.ts";
import type { WorkerToken } from "../domain/worker.ts";
import { askReplacement } from "../engine/fleet-state.ts";
import type { Engine } from "../engine/engine.ts";
import type { ManagedWorker } from "../engine/fleet-state.ts";
import { ensureRelease, pinRelease } from "../engine/records/releases.ts";
import { releaseMembersIn } from "../engine/records/stored-release.ts";
import { createWorkerToken } from "../engine/records/worker-tokens.ts";
import { noteRunSince } from "../engine/records/template-uses.ts";
import { usableTemplateOf } from "../engine/records/templates.ts";
import { retireWorker } from "../engine/worker-gone.ts";
import { FLEET_KEY, stopKey } from "../engine/wait-keys.ts";
import { workerEnvironment } from "../engine/worker-environment.ts";
import {
  type Provider,
  ProviderAway,
  type Providers,
  StartFault,
  type WorkerExit,
  type WorkerOrder,
} from "../fleet/provider.ts";
import { loginFor } from "./start-plan.ts";
import { tidyProvider } from "./tidy-provider.ts";

/** The workers that Forebay starts: what the providers do to them, and what that means for their jobs. */
export interface FleetWorkers {
  /** Takes up the workers of an earlier server: those that run go on, the others have died. */
  adopt(): Promise<void>;
  /**
   * Starts a worker of the release that is to run, or while that is paused, and `isEarlier`, of the version
   * that served before. Resolves when it is on record: that it could not be
   * started is told by `settleExits`. Throws StartFault and TEMPLATE_NOT_FOUND; nothing of it is left then.
   */
  start(endpoint: Endpoint, isEarlier?: boolean): Promise<void>;
  /** The worker gets no more jobs and is told to end; after `grace` ms it is killed. Does not wait for it. */
  end(worker: string, grace: number): void;
  /** The worker gets no more jobs, and is to end when it has none. */
  retire(worker: string): void;
  /** Kills a worker that has failed: `settleExits` tells that it ended because of this. */
  fail(worker: string, because: string): void;
  /** Ends those that are not ending yet: another server starts as many as the jobs want. */
  endAll(): void;
  /** Hands out again what ended workers held; answers those that nobody had told to end. */
  settleExits(): Promise<readonly UnaskedExit[]>;
  /** Ends workers that nobody knows of, and removes what was kept for endpoints that are gone. */
  tidy(): Promise<void>;
  /** The server stops: workers that would not outlive it end, and their jobs go back. */
  stop(): Promise<void>;
}

export interface UnaskedExit extends WorkerExit {
  readonly endpoint: string;
  /** False: it could not be started. */
  readonly hasRun: boolean;
  readonly hasCalled: boolean;
}

type WorkerSince = Pick<ManagedWorker, "orderedAt" | "runsSince" | "hadJob">;

/** An exit with whether the worker was told, or had asked, to end. */
interface Exit extends WorkerExit {
  readonly wasAsked: boolean;
  readonly hasRun: boolean;
}

export function fleetWorkers(engine: Engine, providers: Providers, publicUrl: () => string): FleetWorkers {
  const exits: Exit[] = [];
  const providerOf = new Map<string, Provider>();
  /** Their workers are taken to run until they can be asked. */
  const unreached = new Set<Provider>();
  /** Settled when all is written of what runs. */
  let noted: Promise<unknown> = Promise.resolve();
  /** Why workers that failed were ended. */
  const failures = new Map<string, string>();
  for (const provider of providers.all) provider.onExit((exit) => ended(exit, true));

  function ended(exit: WorkerExit, hasRun: boolean): void {
    const { worker } = exit;
    const failure = failures.get(worker);
    const wasTold = engine.fleet.draining.has(worker) || engine.fleet.toReplace.has(worker);
    exits.push({ ...exit, how: failure ?? exit.how, wasAsked: wasTold && failure === undefined, hasRun });
    engine.waits.notify(FLEET_KEY);
  }

  function manage(worker: string, endpoint: string, provider: Provider, since: WorkerSince): void {
    providerOf.set(worker, provider);
    const lastJobAt = engine.clock.now();
    engine.fleet.managed.set(worker, { endpoint, ...since, lastJobAt, hasCalled: false });
  }

  /** Nobody else can end workers whose server is not this one: its data was adopted. */
  const isAlone = engine.store.shared === undefined;
  const isOwn = ({ server }: WorkerToken): boolean => server === undefined || server === engine.server;

  /** The workers of this server that the provider has, or had. */
  function tokensOf({ name }: Provider): WorkerToken[] {
    return engine.configuration.all("worker").filter((token) => {
      return token.managed && (isOwn(token) || isAlone) && (token.provider ?? "process") === name;
    });
  }

  /** Ids of those that an earlier server has seen, and that can have had jobs. */
  async function haveCalled(tokens: readonly WorkerToken[]): Promise<ReadonlySet<string>> {
    const endpoints = [...new Set(tokens.map(({ endpoint }) => endpoint))];
    const contacts = await Promise.all(endpoints.map((endpoint) => engine.store.workers(endpoint, 0)));
    return new Set(contacts.flat().map(({ worker }) => worker));
  }

  async function adoptFrom(provider: Provider): Promise<void> {
    const tokens = tokensOf(provider);
    const hadJob = await haveCalled(tokens);
    try {
      const running = new Set(await provider.list());
      const runsSince = engine.clock.now();
      for (const token of tokens) {
        const { id, endpoint } = token;
        if (running.has(id)) {
          manage(id, endpoint, provider, { orderedAt: undefined, runsSince, hadJob: hadJob.has(id) });
          noteRunning(id);
        } else await retireWorker(engine, endpoint, id, isOwn(token) ? "died" : "withdrawn");
      }
    } catch (error) {
      if (!(error instanceof ProviderAway)) throw error;
      engine.log.warn("workers are taken to run until they can be asked for", { reason: error.message });
      unreached.add(provider);
      const since = { orderedAt: undefined, runsSince: undefined };
      for (const { id, endpoint } of tokens)
        manage(id, endpoint, provider, { ...since, hadJob: hadJob.has(id) });
    }
  }

  /** What could not be asked at the start of the server. */
  function settleUnreached(provider: Provider, running: ReadonlySet<string>): void {
    if (!unreached.delete(provider)) return;
    for (const [worker, its] of providerOf) {
      if (its !== provider) continue;
      if (running.has(worker)) noteRunning(worker);
      else ended({ worker, how: "it ended while nobody watched", lastLines: [] }, true);
    }
  }

  function noteRunning(worker: string): void {
    const managed = engine.fleet.managed.get(worker);
    if (managed === undefined) return;
    managed.runsSince ??= engine.clock.now();
    const noting = noteRunSince(engine, worker).catch((error: unknown) => {
      engine.log.error("since when a worker runs was not written", { worker, error: String(error) });
    });
    noted = Promise.all([noted, noting]);
  }

  async function startBy(provider: Provider, order: WorkerOrder, release: string): Promise<void> {
    try {
      const { pinnedImage, pullMs } = await provider.start(order);
      const managed = engine.fleet.managed.get(order.worker);
      if (managed !== undefined) managed.pullMs = pullMs;
      noteRunning(order.worker);
      if (pinnedImage !== undefined) await pin(release, pinnedImage);
    } catch (error) {
      if (!(error instanceof StartFault)) {
        engine.log.error("the start of a worker failed", { worker: order.worker, error: String(error) });
      }
      const how = error instanceof Error ? error.message : String(error);
      ended({ worker: order.worker, how, lastLines: [] }, false);
    }
  }

  /** The next start says it again. */
  async function pin(release: string, pinnedImage: string): Promise<void> {
    try {
      await pinRelease(engine, release, pinnedImage);
    } catch (error) {
      engine.log.warn("the digest of an image could not be kept", {
        image: pinnedImage,
        error: String(error),
      });
    }
  }

  async function end(worker: string, grace: number): Promise<void> {
    const managed = engine.fleet.managed.get(worker);
    if (managed === undefined) return;
    engine.fleet.draining.add(worker);
    // Its open polls are answered first, or a job could go to one after the signal and be lost to it.
    engine.parkedTakes.release(managed.endpoint, worker);
    engine.waits.notify(stopKey(managed.endpoint, worker));
    await providerOf.get(worker)?.stop(worker, grace);
  }

  function endWorker(worker: string, grace = engine.durations.drainGrace): void {
    end(worker, grace).catch((error: unknown) => {
      engine.log.error("a worker could not be ended", { worker, error: String(error) });
    });
  }

  async function settleExits(): Promise<readonly UnaskedExit[]> {
    const unasked: UnaskedExit[] = [];
    for (let exit = exits[0]; exit !== undefined; exit = exits[0]) {
      const { wasAsked, ...told } = exit;
      const { worker, how, hasRun } = told;
      const managed = engine.fleet.managed.get(worker);
      // It stays in the list until this has worked: otherwise it is done again at the next look.
      if (managed !== undefined && (wasAsked || !hasRun)) {
        await retireWorker(engine, managed.endpoint, worker, "withdrawn");
      } else if (managed !== undefined) {
        await retireWorker(engine, managed.endpoint, worker, "died", how);
      }
      exits.shift();
      providerOf.delete(worker);
      failures.delete(worker);
      if (managed === undefined) continue;
      const { endpoint, hasCalled } = managed;
      engine.fleet.news.add(endpoint);
      if (!wasAsked) unasked.push({ ...told, endpoint, hasCalled });
    }
    return unasked;
  }

  return {
    async adopt() {
      for (const provider of providers.all) await adoptFrom(provider);
    },

    async start(endpoint, isEarlier = false) {
      // Who may not use the template any more may not use what was made from it either.
      const said = usableTemplateOf(engine, endpoint.account, endpoint.templateId ?? "");
      const newest = await ensureRelease(engine, endpoint.id);
      const isBefore = isEarlier && newest?.paused !== undefined;
      const release = isBefore ? servingBefore(engine.configuration.releases(endpoint.id), newest) : newest;
      if (release === undefined) throw new StartFault(`Nothing here runs ${said.imageName}.`);
      const { gpus, cores, ...members } = releaseMembersIn(engine, release);
      const template = { ...said, ...members, imageName: release.pinnedImage ?? members.imageName };
      const provider = providers.of(template.imageName);
      if (provider === undefined) throw new StartFault(`Nothing here runs ${template.imageName}.`);
      const login = loginFor(engine, template);
      // The token is durable before anything runs that has it: whatever happens now, it is known of.
      const { name } = provider;
      const kind = {
        many: false,
        managed: true,
        provider: name,
        template: template.id,
        version: release.number,
      };
      const created = await createWorkerToken(engine, endpoint, kind);
      const worker = created.record.id;
      manage(worker, endpoint.id, provider, { orderedAt: engine.clock.now(), runsSince: undefined });
      const environment = workerEnvironment(created, publicUrl(), engine.durations.pingInterval);
      // Not waited for: an image may have to be fetched first.
      const order = { worker, endpoint: endpoint.id, template, environment, gpus, cores, login };
      void startBy(provider, order, release.id);
    },

    end: endWorker,

    retire(worker) {
      const endpoint = engine.fleet.managed.get(worker)?.endpoint;
      if (endpoint !== undefined) askReplacement(engine, { endpoint, id: worker });
    },

    fail(worker, because) {
      failures.set(worker, because);
      endWorker(worker, 0);
    },

    endAll() {
      engine.fleet.reports.clear();
      for (const id of engine.fleet.managed.keys()) if (!engine.fleet.draining.has(id)) endWorker(id);
    },

    settleExits,

    async tidy() {
      for (const provider of providers.all) {
        await tidyProvider(engine, provider, (running) => settleUnreached(provider, running));
      }
    },

    async stop() {
      const ending = [...providerOf].filter(([, { outlivesServer }]) => !outlivesServer);
      await Promise.all(ending.map(([id]) => end(id, engine.durations.drainGrace)));
      await settleExits();
      for (const provider of providers.all) {
        if (!provider.outlivesServer) await forgetAll(provider);
        await provider.close();
      }
      await noted;
    },
  };
}

/** One that is away keeps what it has. */
async function forgetAll(provider: Provider): Promise<void> {
  try {
    for (const endpoint of await provider.kept()) await provider.forget(endpoint);
  } catch (error) {
    if (!(error instanceof ProviderAway)) throw error;
  }
}
