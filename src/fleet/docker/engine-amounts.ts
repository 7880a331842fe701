import { z } from "zod";
import type { WorkerAmounts } from "../../domain/worker.ts";
import { freeMb } from "../free-space.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";

const INFO = z.object({ NCPU: z.number(), MemTotal: z.number(), DockerRootDir: z.string().optional() });

const MB = 1_048_576;

/** The cores, the memory and the free disk of an engine's machine, as they were read last. */
export class EngineAmounts {
  readonly #engine: DockerEngine;
  readonly #isHere: boolean;
  #amounts: WorkerAmounts = {};
  #diskFreeMb: number | undefined;

  /** `isHere`: the engine runs on this machine. */
  constructor(engine: DockerEngine, isHere: boolean) {
    this.#engine = engine;
    this.#isHere = isHere;
  }

  /** Empty until the engine has answered for the first time. */
  get amounts(): WorkerAmounts {
    return this.#amounts;
  }

  /** MiB. Engines do not tell it, so it is known only on this machine. */
  get diskFreeMb(): number | undefined {
    return this.#diskFreeMb;
  }

  /** Reads them again: they can change while the engine is away. */
  async look(): Promise<void> {
    try {
      const info = await this.#engine.call({ method: "GET", path: "/info" }, INFO);
      const { NCPU, MemTotal, DockerRootDir } = info;
      this.#amounts = { cores: NCPU, memoryMb: Math.floor(MemTotal / MB) };
      // A server in a container does not see the directory.
      const isSeen = this.#isHere && DockerRootDir !== undefined;
      this.#diskFreeMb = isSeen ? await freeMb(DockerRootDir) : undefined;
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error;
    }
  }
}
