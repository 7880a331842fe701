import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import { onAbort } from "../../domain/on-abort.ts";
import {
  type Provider,
  ProviderAway,
  type StartedWorker,
  StartFault,
  type WorkerExit,
  type WorkerOrder,
} from "../provider.ts";
import type { WorkerOutput } from "../worker-output.ts";
import { containerMaker } from "./create-container.ts";
import type { DockerEngine } from "./docker-engine.ts";
import type { DockerSettings } from "./docker-settings.ts";
import { endOf } from "./ended-container.ts";
import { endpointVolumes } from "./endpoint-volumes.ts";
import { EngineFault } from "./engine-fault.ts";
import { followOutput } from "./follow-output.ts";
import { imageNameRefusal } from "./image-name.ts";
import { LABELS, labelled } from "./labels.ts";
import { readyImages } from "./ready-image.ts";
import { watchEngine } from "./watch-engine.ts";
import { containerName, removeContainer, workerContainers } from "./worker-containers.ts";

export interface DockerProviderOptions {
  readonly engine: DockerEngine;
  readonly settings: DockerSettings;
  /** Names the data that this server works on: what has another name on the engine is somebody else's. */
  readonly deployment: string;
  /** Names this server among those of the deployment. */
  readonly server: string;
  /** False where the data ends with the server, so that nobody would know of its workers any more. */
  readonly outlivesServer: boolean;
  readonly randomBelow: (limit: number) => number;
  readonly output: WorkerOutput;
  readonly clock: Clock;
  readonly log: Log;
}

/** While the engine is away, a stop is tried again after so long, ms. */
const TRY_AGAIN = 500;

/** How long the engine may take to end a container beyond its grace, ms. */
const STOP_PATIENCE = 60_000;

/** Workers as containers of a Docker Engine, or of what speaks its API. */
export function dockerProvider(options: DockerProviderOptions): Provider {
  const { engine, deployment, server, clock, log } = options;
  const readyImage = readyImages(engine, clock, log);
  const startContainer = containerMaker(options);
  const volumes = endpointVolumes(engine, deployment);
  const output = followOutput(options);
  /** The containers of this server's workers, by worker. */
  const running = new Map<string, string>();
  /** Whose workers they are. */
  const endpoints = new Map<string, string>();
  const starting = new Map<string, { readonly abort: AbortController; readonly over: Promise<void> }>();
  const ending = new Map<string, Promise<void>>();
  let onExit: (exit: WorkerExit) => void = () => undefined;

  async function start(order: WorkerOrder, signal: AbortSignal): Promise<StartedWorker> {
    const { worker, template, login } = order;
    try {
      const image = await unlessAborted(readyImage(template.imageName, login), signal);
      const container = await startContainer(order, image, signal);
      running.set(worker, container);
      endpoints.set(worker, order.endpoint);
      output.follow(worker, order.endpoint, container);
      return { pinnedImage: image.digest, pullMs: image.pullMs };
    } catch (error) {
      await removeContainer(engine, containerName(worker)).catch(unlessFault);
      throw startFaultOf(error, signal);
    }
  }

  /** A worker that runs no longer: told of, and removed. Those who come meanwhile wait for the same end. */
  function finish(worker: string, container: string): Promise<void> {
    const underWay = ending.get(worker) ?? finishNow(worker, container).finally(() => ending.delete(worker));
    ending.set(worker, underWay);
    return underWay;
  }

  async function finishNow(worker: string, container: string): Promise<void> {
    const end = await endOf(engine, container).catch((error: unknown) => {
      if (error instanceof EngineFault && error.status === 404) return GONE;
      throw error;
    });
    const endpoint = endpoints.get(worker);
    // What was printed while nobody followed.
    if (endpoint !== undefined) output.follow(worker, endpoint, container);
    await output.read(worker);
    await removeContainer(engine, container);
    if (endpoint !== undefined) output.forget(worker, endpoint);
    endpoints.delete(worker);
    if (running.delete(worker)) onExit({ worker, ...end });
  }

  async function look(): Promise<void> {
    const watched = [...running];
    const found = new Map((await workerContainers(engine, deployment)).map((one) => [one.id, one]));
    const ends = watched.map(async ([worker, container]) => {
      const state = found.get(container)?.state;
      if (state === "runs") output.follow(worker, endpoints.get(worker) ?? "", container);
      else await finish(worker, container);
    });
    await Promise.all(ends);
  }

  /** The container of a worker, of whichever server; undefined when there is none. */
  async function containerOf(worker: string): Promise<string | undefined> {
    const all = await workerContainers(engine, deployment);
    return running.get(worker) ?? all.find((container) => container.worker === worker)?.id;
  }

  async function stop(worker: string, killAt: number): Promise<void> {
    const container = await containerOf(worker);
    if (container === undefined && !running.has(worker)) return;
    const id = container ?? "";
    const left = Math.max(0, killAt - clock.now());
    const cancel = clock.after(left, () => void kill(id));
    try {
      // The engine holds to the grace too, in case this server does not live so long.
      const query = { t: String(Math.ceil(left / 1_000)) };
      const patience = left + STOP_PATIENCE;
      await engine.tell({ method: "POST", path: `/containers/${id}/stop`, query, patience });
    } catch (error) {
      if (!(error instanceof EngineFault && error.status === 404)) throw error;
    } finally {
      cancel();
    }
    await finish(worker, id);
  }

  /** One that has ended meanwhile needs none. */
  async function kill(container: string): Promise<void> {
    const query = { signal: "SIGKILL" };
    await engine.tell({ method: "POST", path: `/containers/${container}/kill`, query }).catch(unlessFault);
  }

  const events = labelled({ [LABELS.deployment]: deployment, [LABELS.server]: server });
  const unwatch = watchEngine(engine, clock, events, look);

  return {
    name: "docker",
    outlivesServer: options.outlivesServer,

    refusal: ({ imageName }) => imageNameRefusal(imageName),

    async start(order) {
      const abort = new AbortController();
      const started = start(order, abort.signal);
      const over = started.then(
        () => undefined,
        () => undefined,
      );
      starting.set(order.worker, { abort, over });
      return started.finally(() => starting.delete(order.worker));
    },

    async stop(worker, grace) {
      const killAt = clock.now() + grace;
      starting.get(worker)?.abort.abort();
      await starting.get(worker)?.over;
      for (;;) {
        try {
          return await stop(worker, killAt);
        } catch (error) {
          if (!(error instanceof EngineFault && error.isAway)) throw error;
          // A server that ends with its workers cannot wait for ever.
          if (!options.outlivesServer && clock.now() > killAt) throw error;
          await new Promise<void>((resolve) => clock.after(TRY_AGAIN, resolve));
        }
      }
    },

    async list() {
      const containers = await workerContainers(engine, deployment).catch(away);
      for (const { id, worker, endpoint, server: maker, state } of containers) {
        if (maker !== server || running.has(worker) || starting.has(worker)) continue;
        running.set(worker, id);
        endpoints.set(worker, endpoint);
        if (state === "runs") output.follow(worker, endpoint, id);
      }
      return containers.map(({ worker }) => worker);
    },

    onExit(listener) {
      onExit = listener;
    },

    kept: () => volumes.endpoints().catch(away),
    forget: (endpoint) => volumes.remove(endpoint).catch(away),

    async close() {
      unwatch();
      output.close();
      for (const { abort } of starting.values()) abort.abort();
      await Promise.all([...starting.values()].map(({ over }) => over));
    },
  };
}

const GONE = { how: "its container was removed", lastLines: [] };

/** A pull goes on without those who no longer wait for it: the next start has its use of it. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = new Promise<never>((_, reject) => {
    onAbort(signal, () => reject(signal.reason));
  });
  return Promise.race([promise, aborted]);
}

function startFaultOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new StartFault("The worker was told to end before it ran.");
  return error instanceof EngineFault
    ? new StartFault(`Docker does not start the container: ${error.message}.`)
    : error;
}

function away(error: unknown): never {
  if (error instanceof EngineFault) throw new ProviderAway(`Docker does not answer: ${error.message}.`);
  throw error;
}

function unlessFault(error: unknown): void {
  if (!(error instanceof EngineFault)) throw error;
}
