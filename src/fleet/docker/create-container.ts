import { z } from "zod";
import type { Log } from "../../domain/log.ts";
import type { WorkerOrder } from "../provider.ts";
import { choosePorts, takenPort } from "./choose-ports.ts";
import { containerBody, type ContainerOptions, type DockerSettings, isShared } from "./container-body.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";
import { deviceRequest, engineDevices, gpuRefusal } from "./engine-devices.ts";
import type { ReadyImage } from "./ready-image.ts";
import { containerName, removeContainer } from "./deployment-objects.ts";

interface ContainerMaker {
  readonly engine: DockerEngine;
  readonly settings: DockerSettings;
  readonly deployment: string;
  readonly server: string;
  /** A random number from 0 to below the limit. */
  readonly randomBelow: (limit: number) => number;
  readonly log: Log;
}

/** How many taken ports end the attempts to start a container. */
const PORT_TRIALS = 20;

/** Workers leave a tenth of the host's memory. */
const MEMORY_SHARE = 0.9;

const CREATED = z.object({ Id: z.string() });
const INFO = z.object({ MemTotal: z.number(), NCPU: z.number() });

/** Creates and starts containers. Learns from the first ones what the engine can limit. */
export function containerMaker({ engine, settings, deployment, server, randomBelow, log }: ContainerMaker) {
  const limits = new EngineLimits(log);
  const machineOf = machineReader(engine, settings);

  function portsFor({ template }: WorkerOrder, taken: ReadonlySet<number>): Map<number, number> {
    // In a shared network, ports of the worker are ports of the host, or unreachable.
    if (isShared(settings.network)) return new Map();
    return choosePorts(template.ports, settings.publishPorts, taken, randomBelow);
  }

  async function create(order: WorkerOrder, image: ReadyImage, ports: Map<number, number>): Promise<string> {
    const devices = await devicesFor(engine, order);
    const options = { settings, deployment, server, ...(await machineOf()), ports, devices };
    const query = { name: containerName(order.worker) };
    const make = async () => {
      const body = containerBody(order, image, { ...options, ...limits.now });
      return engine.call({ method: "POST", path: "/containers/create", query, body }, CREATED);
    };
    try {
      return (await make()).Id;
    } catch (error) {
      if (!isAboutDisks(error)) throw error;
      limits.noDisks(error);
      return (await make()).Id;
    }
  }

  /** Returns the id of the running container. Throws EngineFault; a container may be left then. */
  return async function startContainer(
    order: WorkerOrder,
    image: ReadyImage,
    signal: AbortSignal,
  ): Promise<string> {
    const taken = new Set<number>();
    for (;;) {
      signal.throwIfAborted();
      const { locksMemory } = limits.now;
      const id = await create(order, image, portsFor(order, taken));
      signal.throwIfAborted();
      try {
        await engine.send({ method: "POST", path: `/containers/${id}/start` });
        return id;
      } catch (error) {
        const port = takenPort(error);
        if (locksMemory && isAboutLocks(error)) limits.noLocks(error);
        else if (port === undefined || taken.size === PORT_TRIALS) throw error;
        else taken.add(port);
        await removeContainer(engine, id);
      }
    }
  };
}

/** The memory of each container, bytes, and the cores of the machine. */
function machineReader(
  engine: DockerEngine,
  { memory }: DockerSettings,
): () => Promise<Pick<ContainerOptions, "memory" | "cores">> {
  let info: z.output<typeof INFO> | undefined;
  return async () => {
    info ??= await engine.call({ method: "GET", path: "/info" }, INFO);
    return { memory: memory > 0 ? memory : Math.floor(info.MemTotal * MEMORY_SHARE), cores: info.NCPU };
  };
}

/** What asks for the GPUs of a worker. The engine is asked each time: another one may have come back. */
async function devicesFor(engine: DockerEngine, { gpus }: WorkerOrder): Promise<object | undefined> {
  if (gpus === undefined) return undefined;
  const its = await engineDevices(engine);
  const refusal = gpuRefusal(its);
  if (refusal !== undefined) throw new EngineFault(refusal, 400);
  const uuids = gpus.map(({ uuid }) => uuid);
  return deviceRequest(uuids, its);
}

/** What the engine can limit, as far as is known. Several starts at once can learn the same. */
class EngineLimits {
  readonly #log: Log;
  #now = { limitsDisks: true, locksMemory: true };

  constructor(log: Log) {
    this.#log = log;
  }

  get now(): Readonly<Pick<ContainerOptions, "limitsDisks" | "locksMemory">> {
    return this.#now;
  }

  noDisks({ message }: EngineFault): void {
    if (this.#now.limitsDisks) {
      this.#log.warn("the engine cannot limit the disks of workers: containerDiskInGb is not enforced", {
        reason: message,
      });
    }
    this.#now = { ...this.#now, limitsDisks: false };
  }

  noLocks({ message }: EngineFault): void {
    if (this.#now.locksMemory) {
      this.#log.warn("the engine cannot raise the memlock limit of workers", { reason: message });
    }
    this.#now = { ...this.#now, locksMemory: false };
  }
}

/** What runc and crun say if the engine has no privileges of its own. */
function isAboutLocks(error: unknown): error is EngineFault {
  return error instanceof EngineFault && /rlimit type 8\b|RLIMIT_MEMLOCK/.test(error.message);
}

function isAboutDisks(error: unknown): error is EngineFault {
  return error instanceof EngineFault && /storage-?opt/i.test(error.message);
}
