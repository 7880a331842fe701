import { z } from "zod";
import type { WorkerAmounts } from "../../domain/worker.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";

const INFO = z.object({ NCPU: z.number(), MemTotal: z.number() });

const MB = 1_048_576;

/** The cores and the memory of an engine's machine, as they were read last. */
export class EngineAmounts {
  readonly #engine: DockerEngine;
  #amounts: WorkerAmounts = {};

  constructor(engine: DockerEngine) {
    this.#engine = engine;
  }

  /** Empty until the engine has answered for the first time. */
  get amounts(): WorkerAmounts {
    return this.#amounts;
  }

  /** Reads them again: they can change while the engine is away. */
  async look(): Promise<void> {
    try {
      const { NCPU, MemTotal } = await this.#engine.call({ method: "GET", path: "/info" }, INFO);
      this.#amounts = { cores: NCPU, memoryMb: Math.floor(MemTotal / MB) };
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error;
    }
  }
}
