import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import { onAbort } from "../../domain/on-abort.ts";
import type { Template } from "../../domain/template.ts";
import { containerGpuRefusal } from "../gpu/gpu-variables.ts";
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
import { type DockerEngine, EngineFault } from "./docker-engine.ts";
import type { DockerSettings } from "./container-body.ts";
import { endOf } from "./ended-container.ts";
import {
  containerName,
  endpointVolumes,
  labelled,
  LABELS,
  removeContainer,
  workerContainers,
} from "./deployment-objects.ts";
import { OutputFollower } from "./follow-output.ts";
import { imageNameRefusal } from "./registry.ts";
import { ReadyImages } from "./ready-image.ts";
import { watchEngine } from "./watch-engine.ts";

interface DockerProviderOptions {
  readonly engine: DockerEngine;
  readonly settings: DockerSettings;
  /** Names the data of this server. Containers with another name on the engine belong to others. */
  readonly deployment: string;
  /** Names this server among those of the deployment. */
  readonly server: string;
  /** False if the data ends with the server: nobody would know its workers any more. */
  readonly outlivesServer: boolean;
  readonly randomBelow: (limit: number) => number;
  readonly output: WorkerOutput;
  readonly clock: Clock;
  readonly log: Log;
}

/** While the engine is away, a stop or a removal is retried after this long, ms. */
const TRY_AGAIN = 500;

/** How long the engine may take to end a container, beyond its grace, ms. */
const STOP_PATIENCE = 60_000;

/** Runs workers as containers of a Docker Engine, or of what speaks its API. */
export function dockerProvider(options: DockerProviderOptions): Provider {
  return new DockerProvider(options);
}

interface ContainerStart {
  readonly abort: AbortController;
  /** Resolves when the start has succeeded or failed. */
  readonly over: Promise<void>;
}

class DockerProvider implements Provider {
  readonly name = "docker";
  readonly outlivesServer: boolean;
  devices: ReadonlyMap<string, readonly string[]> = new Map();
  readonly #options: DockerProviderOptions;
  readonly #engine: DockerEngine;
  readonly #images: ReadyImages;
  readonly #startContainer: ReturnType<typeof containerMaker>;
  readonly #volumes: ReturnType<typeof endpointVolumes>;
  readonly #output: OutputFollower;
  /** The containers of this server's workers, by worker. */
  readonly #running = new Map<string, string>();
  /** The endpoint of each worker. */
  readonly #endpoints = new Map<string, string>();
  readonly #starting = new Map<string, ContainerStart>();
  readonly #ending = new Map<string, Promise<void>>();
  readonly #unwatch: () => void;
  #isClosed = false;
  #onExit: (exit: WorkerExit) => void = () => undefined;

  constructor(options: DockerProviderOptions) {
    const { engine, deployment, server, clock, log } = options;
    this.#options = options;
    this.outlivesServer = options.outlivesServer;
    this.#engine = engine;
    this.#images = new ReadyImages(engine, clock, log);
    this.#startContainer = containerMaker(options);
    this.#volumes = endpointVolumes(engine, deployment);
    this.#output = new OutputFollower(options);
    const events = labelled({ [LABELS.deployment]: deployment, [LABELS.server]: server });
    this.#unwatch = watchEngine(engine, clock, events, () => this.#look());
  }

  refusal({ imageName, env }: Template): string | undefined {
    return imageNameRefusal(imageName) ?? containerGpuRefusal(env);
  }

  hasImage(name: string): Promise<boolean> {
    return this.#images.isThere(name);
  }

  async start(order: WorkerOrder): Promise<StartedWorker> {
    if (this.#isClosed) throw new StartFault("The host was deleted, or the server is stopping.");
    const abort = new AbortController();
    const started = this.#start(order, abort.signal);
    const over = started.then(
      () => undefined,
      () => undefined,
    );
    this.#starting.set(order.worker, { abort, over });
    return started.finally(() => this.#starting.delete(order.worker));
  }

  async stop(worker: string, grace: number): Promise<void> {
    const { clock } = this.#options;
    const killAt = clock.now() + grace;
    this.#starting.get(worker)?.abort.abort();
    await this.#starting.get(worker)?.over;
    for (;;) {
      try {
        return await this.#stop(worker, killAt);
      } catch (error) {
        if (!(error instanceof EngineFault && error.isAway)) throw error;
        if (this.#isClosed) return;
        // A server whose workers end with it cannot wait forever.
        if (!this.outlivesServer && clock.now() > killAt) throw error;
        await this.#pause();
      }
    }
  }

  async list(): Promise<readonly string[]> {
    const { deployment, server } = this.#options;
    const containers = await workerContainers(this.#engine, deployment).catch(away);
    for (const { id, worker, endpoint, server: maker, state } of containers) {
      if (maker !== server || this.#running.has(worker) || this.#starting.has(worker)) continue;
      this.#running.set(worker, id);
      this.#endpoints.set(worker, endpoint);
      if (state === "runs") this.#output.follow(worker, endpoint, id);
    }
    const withGpus = containers.filter(({ devices }) => devices.length > 0);
    this.devices = new Map(withGpus.map(({ worker, devices }) => [worker, devices]));
    return containers.map(({ worker }) => worker);
  }

  onExit(listener: (exit: WorkerExit) => void): void {
    this.#onExit = listener;
  }

  kept(): Promise<readonly string[]> {
    return this.#volumes.endpoints().catch(away);
  }

  forget(endpoint: string): Promise<void> {
    return this.#volumes.remove(endpoint).catch(away);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unwatch();
    this.#output.close();
    for (const { abort } of this.#starting.values()) abort.abort();
    await Promise.all([...this.#starting.values()].map(({ over }) => over));
  }

  async #start(order: WorkerOrder, signal: AbortSignal): Promise<StartedWorker> {
    const { worker, endpoint, template, login } = order;
    // A template can be older than this rule.
    const refusal = containerGpuRefusal(template.env);
    if (refusal !== undefined) throw new StartFault(refusal);
    let mayExist = false;
    try {
      const image = await unlessAborted(this.#images.ready(template.imageName, login), signal);
      mayExist = true;
      const container = await this.#startContainer(order, image, signal);
      this.#running.set(worker, container);
      this.#endpoints.set(worker, endpoint);
      this.#output.follow(worker, endpoint, container);
      return { pinnedImage: image.digest, pullMs: image.pullMs };
    } catch (error) {
      if (mayExist) await this.#discard(worker, signal);
      throw startFaultOf(error, signal);
    }
  }

  /**
   * Removes what a failed start has left. Waits for an engine that is away, unless the server stops: it may
   * have started the container, whose GPUs would be free for others after the StartFault.
   */
  async #discard(worker: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await removeContainer(this.#engine, containerName(worker));
      } catch (error) {
        if (!(error instanceof EngineFault)) throw error;
        const isStopping = this.#isClosed || (signal.aborted && !this.outlivesServer);
        const isRefused = error.status !== undefined && error.status < 500;
        if (isStopping || (isRefused && !error.isAway)) return;
        await this.#pause();
      }
    }
  }

  async #stop(worker: string, killAt: number): Promise<void> {
    const { clock } = this.#options;
    const container = await this.#containerOf(worker);
    if (container === undefined && !this.#running.has(worker)) return;
    const id = container ?? "";
    const left = Math.max(0, killAt - clock.now());
    const cancel = clock.after(left, () => void this.#kill(id));
    try {
      // The engine enforces the grace too, in case this server stops earlier.
      const query = { t: String(Math.ceil(left / 1_000)) };
      const patience = left + STOP_PATIENCE;
      await this.#engine.send({ method: "POST", path: `/containers/${id}/stop`, query, patience });
    } catch (error) {
      if (!(error instanceof EngineFault && error.status === 404)) throw error;
    } finally {
      cancel();
    }
    await this.#finish(worker, id);
  }

  /** The container of a worker, whichever server started it; undefined if there is none. */
  async #containerOf(worker: string): Promise<string | undefined> {
    const all = await workerContainers(this.#engine, this.#options.deployment);
    return this.#running.get(worker) ?? all.find((container) => container.worker === worker)?.id;
  }

  /** Ignores the faults of the engine: the container may have ended meanwhile. */
  async #kill(container: string): Promise<void> {
    const query = { signal: "SIGKILL" };
    const path = `/containers/${container}/kill`;
    await this.#engine.send({ method: "POST", path, query }).catch(unlessFault);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(TRY_AGAIN, resolve));
  }

  /** Finds the containers that have ended, and follows the output of those that run. */
  async #look(): Promise<void> {
    const watched = [...this.#running];
    const all = await workerContainers(this.#engine, this.#options.deployment);
    const found = new Map(all.map((one) => [one.id, one]));
    const ends = watched.map(async ([worker, container]) => {
      if (found.get(container)?.state !== "runs") return this.#finish(worker, container);
      this.#output.follow(worker, this.#endpoints.get(worker) ?? "", container);
    });
    await Promise.all(ends);
  }

  /** Reports and removes a container that has ended, once for all concurrent callers. */
  #finish(worker: string, container: string): Promise<void> {
    const finish = (): Promise<void> =>
      this.#finishNow(worker, container).finally(() => this.#ending.delete(worker));
    const underWay = this.#ending.get(worker) ?? finish();
    this.#ending.set(worker, underWay);
    return underWay;
  }

  async #finishNow(worker: string, container: string): Promise<void> {
    const end = await endOf(this.#engine, container);
    const endpoint = this.#endpoints.get(worker);
    // Reads what was printed while nobody followed.
    if (endpoint !== undefined) this.#output.follow(worker, endpoint, container);
    await this.#output.read(worker);
    await removeContainer(this.#engine, container);
    if (endpoint !== undefined) this.#output.forget(worker, endpoint);
    this.#endpoints.delete(worker);
    if (this.#running.delete(worker)) this.#onExit({ worker, ...end });
  }
}

/** The pull continues after the abort: the next start uses its image. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = new Promise<never>((_, reject) => {
    onAbort(signal, () => reject(signal.reason));
  });
  return Promise.race([promise, aborted]);
}

function startFaultOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new StartFault("The worker was stopped before it ran.");
  return error instanceof EngineFault
    ? new StartFault(`Docker cannot start the container: ${error.message}.`)
    : error;
}

function away(error: unknown): never {
  if (error instanceof EngineFault) throw new ProviderAway(`Docker does not answer: ${error.message}.`);
  throw error;
}

function unlessFault(error: unknown): void {
  if (!(error instanceof EngineFault)) throw error;
}
