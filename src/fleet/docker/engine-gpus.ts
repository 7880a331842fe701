import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import { namedDevice } from "../gpu/declared-gpus.ts";
import { type GpuInventory, NO_GPUS, unreadGpus, withMissingCards } from "../gpu/gpu-inventory.ts";
import { NvidiaGpus } from "../gpu/nvidia-gpus.ts";
import type { SmiOutcome } from "../gpu/run-nvidia-smi.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";
import { allDevicesRequest, type EngineDevices, engineDevices, gpuRefusal } from "./engine-devices.ts";
import { runProbe } from "./probe-container.ts";
import { ReadyImages } from "./ready-image.ts";

interface EngineGpuOptions {
  readonly engine: DockerEngine;
  /** Whether the engine is on this machine, whose own inventory comes first. */
  readonly isHere: boolean;
  /** The image of the container that runs `nvidia-smi`; empty: none. */
  readonly probeImage: string;
  /** Names this server among all that use the engine. */
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The GPUs behind an engine: what a probe container prints, otherwise the CDI devices of the engine. */
export class EngineGpus {
  readonly #options: EngineGpuOptions;
  readonly #images: ReadyImages;
  readonly #probed: NvidiaGpus;
  /** The place in the list of each CDI device that was ever there, by UUID. */
  readonly #known = new Map<string, number>();

  constructor(options: EngineGpuOptions) {
    const { engine, clock, log } = options;
    this.#options = options;
    this.#images = new ReadyImages(engine, clock, log);
    this.#probed = new NvidiaGpus((args) => this.#probe(args));
  }

  /** Never throws: what cannot be read is in the answer, with the reason. */
  async read(): Promise<GpuInventory> {
    if (this.#options.probeImage !== "") return this.#probed.read();
    try {
      const devices = await engineDevices(this.#options.engine);
      const refusal = gpuRefusal(devices);
      if (refusal !== undefined) return unreadGpus(`${refusal}.`);
      return withMissingCards(this.#listed(devices), this.#known);
    } catch (error) {
      return unreadGpus(engineSentence(error));
    }
  }

  #listed({ cdi }: EngineDevices): GpuInventory {
    const uuids = [...cdi].filter((name) => /^(GPU|MIG)-/.test(name));
    if (uuids.length > 0) {
      return { ...NO_GPUS, devices: uuids.map((uuid, index) => namedDevice(uuid, index)) };
    }
    if (cdi.size > 0) return unreadGpus(BY_NUMBER);
    return this.#options.isHere || this.#known.size > 0 ? NO_GPUS : unreadGpus(UNLISTED);
  }

  async #probe(args: readonly string[]): Promise<SmiOutcome> {
    const { engine, clock, probeImage, owner } = this.#options;
    try {
      const its = await engineDevices(engine);
      const refusal = gpuRefusal(its);
      if (refusal !== undefined) return { fault: `${refusal}.`, isAbsent: false };
      const { id: image } = await this.#images.ready(probeImage, undefined);
      const devices = allDevicesRequest(its);
      return { answer: await runProbe(engine, clock, { image, args, devices, owner }) };
    } catch (error) {
      return { fault: engineSentence(error), isAbsent: false };
    }
  }
}

const UNLISTED = "The engine lists no GPUs. Set FOREBAY_DOCKER_GPU_PROBE, or declare them.";
const BY_NUMBER =
  "The engine lists its GPUs by number. Run nvidia-ctk cdi generate there with --device-name-strategy=uuid.";

function engineSentence(error: unknown): string {
  if (!(error instanceof EngineFault)) throw error;
  return error.isAway
    ? `Docker does not answer: ${error.message}.`
    : `Docker does not list them: ${error.message}.`;
}
