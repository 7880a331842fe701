import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { DockerEngine } from "../fleet/docker/docker-engine.ts";
import { EngineGpus } from "../fleet/docker/engine-gpus.ts";
import { type GpuInventory, hasGpus } from "../fleet/gpu/gpu-inventory.ts";
import { WatchedGpus } from "../fleet/gpu/watched-gpus.ts";

interface EngineGpuParts {
  /** The name of the host. */
  readonly name: string;
  readonly engine: DockerEngine;
  /** Whether the engine runs on this machine. */
  readonly isHere: boolean;
  /** The GPUs of this machine. */
  readonly own: WatchedGpus;
  /** What the operator declares; undefined: nothing. */
  readonly declared: GpuInventory | undefined;
  /** The image of the container that reads the GPUs; empty: none. */
  readonly probeImage: string;
  /** Names this server among all that use the engine. */
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The GPUs of a host, and how they are read again. */
interface HostGpus {
  readonly inventory: () => GpuInventory;
  readonly look: () => Promise<void>;
}

/**
 * The GPUs of an engine: those that the operator declares; otherwise those that a probe container lists;
 * otherwise, on this machine, the same as this machine; otherwise its CDI devices.
 */
export function gpusOfEngine(parts: EngineGpuParts): HostGpus {
  const { name, isHere, own, declared, probeImage, log } = parts;
  if (declared !== undefined) return { inventory: () => declared, look: async () => undefined };
  const read = new EngineGpus(parts);
  // Nobody who uses no GPUs must read about them.
  const isQuiet = probeImage === "";
  const watched = new WatchedGpus({ read: () => read.read(), host: name, log, isQuiet });
  const usesOwn = (): boolean => isHere && isQuiet && hasGpus(own.inventory);
  return {
    inventory: () => (usesOwn() ? own.inventory : watched.inventory),
    look: () => watched.look(),
  };
}
