import { z } from "zod";
import type { Log } from "../../domain/log.ts";
import type { WorkerOrder } from "../provider.ts";
import { choosePorts, takenPort } from "./choose-ports.ts";
import { containerBody, type DockerSettings, isShared } from "./container-body.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";
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
const INFO = z.object({ MemTotal: z.number() });

/** Creates and starts containers. Learns from the first one what the engine can limit. */
export function containerMaker({ engine, settings, deployment, server, randomBelow, log }: ContainerMaker) {
  let limitsDisks = true;
  let machineMemory: number | undefined;

  async function memoryLimit(): Promise<number> {
    if (settings.memory > 0) return settings.memory;
    machineMemory ??= (await engine.call({ method: "GET", path: "/info" }, INFO)).MemTotal;
    return Math.floor(machineMemory * MEMORY_SHARE);
  }

  function portsFor({ template }: WorkerOrder, taken: ReadonlySet<number>): Map<number, number> {
    // In a shared network, ports of the worker are ports of the host, or unreachable.
    if (isShared(settings.network)) return new Map();
    return choosePorts(template.ports, settings.publishPorts, taken, randomBelow);
  }

  async function create(order: WorkerOrder, image: ReadyImage, ports: Map<number, number>): Promise<string> {
    const memory = await memoryLimit();
    const query = { name: containerName(order.worker) };
    const make = async () => {
      const body = containerBody(order, image, { settings, deployment, server, memory, limitsDisks, ports });
      return engine.call({ method: "POST", path: "/containers/create", query, body }, CREATED);
    };
    try {
      return (await make()).Id;
    } catch (error) {
      if (!isAboutDisks(error)) throw error;
      if (limitsDisks) {
        log.warn("the engine cannot limit the disks of workers: containerDiskInGb is not enforced", {
          reason: error instanceof Error ? error.message : "",
        });
      }
      limitsDisks = false;
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
      const id = await create(order, image, portsFor(order, taken));
      signal.throwIfAborted();
      try {
        await engine.send({ method: "POST", path: `/containers/${id}/start` });
        return id;
      } catch (error) {
        const port = takenPort(error);
        if (port === undefined || taken.size === PORT_TRIALS) throw error;
        taken.add(port);
        await removeContainer(engine, id);
      }
    }
  };
}

function isAboutDisks(error: unknown): boolean {
  return error instanceof EngineFault && /storage-?opt/i.test(error.message);
}
