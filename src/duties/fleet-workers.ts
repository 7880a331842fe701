import type { Endpoint } from "../domain/endpoint.ts";
import type { Engine } from "../engine/engine.ts";
import { createWorkerToken } from "../engine/records/worker-tokens.ts";
import { usableTemplateOf } from "../engine/records/templates.ts";
import { retireWorker } from "../engine/retire-worker.ts";
import { FLEET_KEY, stopKey } from "../engine/wait-keys.ts";
import { workerEnvironment } from "../engine/worker-environment.ts";
import type { Provider, WorkerExit } from "../fleet/provider.ts";

/** The workers that Forebay starts: what the provider does to them, and what that means for their jobs. */
export interface FleetWorkers {
  /** Takes up the workers of an earlier server: those that run go on, the others have died. */
  adopt(): Promise<void>;
  /** Starts a worker. Throws StartFault; nothing of it is left then. */
  start(endpoint: Endpoint): Promise<void>;
  /** The worker gets no more jobs and is told to end; after `grace` ms it is killed. Does not wait for it. */
  end(worker: string, grace: number): void;
  /** Ends those that are not ending yet: another server starts as many as the jobs want. */
  endAll(): void;
  /** Hands out again what ended workers held; answers those that nobody had told to end. */
  settleExits(): Promise<readonly UnaskedExit[]>;
  /** The server stops: workers that would not outlive it end, and their jobs go back. */
  stop(): Promise<void>;
}

export interface UnaskedExit extends WorkerExit {
  readonly endpoint: string;
}

/** An exit with whether the worker was told, or had asked, to end. */
interface Exit extends WorkerExit {
  readonly wasAsked: boolean;
}

export function fleetWorkers(engine: Engine, provider: Provider, publicUrl: () => string): FleetWorkers {
  const exits: Exit[] = [];
  provider.onExit((exit) => {
    const wasAsked = engine.draining.has(exit.worker) || engine.toReplace.has(exit.worker);
    exits.push({ ...exit, wasAsked });
    engine.waits.notify(FLEET_KEY);
  });

  function manage(worker: string, endpoint: string): void {
    engine.managed.set(worker, { endpoint, lastJobAt: engine.clock.now(), hasCalled: false });
  }

  async function end(worker: string, grace: number): Promise<void> {
    const managed = engine.managed.get(worker);
    if (managed === undefined) return;
    engine.draining.add(worker);
    // Its open polls are answered first, or a job could go to one after the signal and be lost to it.
    engine.parkedTakes.release(managed.endpoint, worker);
    engine.waits.notify(stopKey(managed.endpoint, worker));
    await provider.stop(worker, grace);
  }

  function endWorker(worker: string, grace = engine.durations.drainGrace): void {
    end(worker, grace).catch((error: unknown) => {
      engine.log.error("a worker could not be ended", { worker, error: String(error) });
    });
  }

  async function settleExits(): Promise<readonly UnaskedExit[]> {
    const unasked: UnaskedExit[] = [];
    for (let exit = exits[0]; exit !== undefined; exit = exits[0]) {
      const { worker, how, wasAsked } = exit;
      const endpoint = engine.managed.get(worker)?.endpoint;
      // It stays in the list until this has worked: otherwise it is done again at the next look.
      if (endpoint !== undefined)
        await retireWorker(engine, endpoint, worker, wasAsked ? "withdrawn" : "died");
      exits.shift();
      if (endpoint !== undefined && !wasAsked) unasked.push({ worker, how, endpoint });
    }
    return unasked;
  }

  return {
    async adopt() {
      const running = new Set(await provider.list());
      for (const { id, endpoint, managed, server } of engine.configuration.all("worker")) {
        const isOurs = server === undefined || server === engine.server;
        if (!managed || !isOurs) continue;
        if (running.has(id)) manage(id, endpoint);
        else await retireWorker(engine, endpoint, id, "died");
      }
    },

    async start(endpoint) {
      const template = usableTemplateOf(engine, endpoint.account, endpoint.templateId ?? "");
      // The token is durable before anything runs that has it: whatever happens now, it is known of.
      const created = await createWorkerToken(engine, endpoint, { many: false, managed: true });
      const { id } = created.record;
      manage(id, endpoint.id);
      try {
        const environment = workerEnvironment(created, publicUrl(), engine.durations.pingInterval);
        await provider.start({ worker: id, template, environment });
      } catch (error) {
        await retireWorker(engine, endpoint.id, id, "withdrawn");
        throw error;
      }
    },

    end: endWorker,

    endAll() {
      for (const id of engine.managed.keys()) if (!engine.draining.has(id)) endWorker(id);
    },

    settleExits,

    async stop() {
      if (provider.outlivesServer) return;
      await Promise.all([...engine.managed.keys()].map((id) => end(id, engine.durations.drainGrace)));
      await settleExits();
    },
  };
}
