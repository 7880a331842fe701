import type { Log } from "../../domain/log.ts";
import { type GpuInventory, unreadGpus } from "./gpu-inventory.ts";
import type { GpuOutOfUse } from "./nvidia-smi-output.ts";

interface WatchedGpusOptions {
  /** Never throws. */
  readonly read: () => Promise<GpuInventory>;
  readonly host: string;
  readonly log: Log;
  /** The operator has said nothing of GPUs here, so it is no news that they cannot be read. */
  readonly isQuiet?: boolean;
}

/** The GPUs of a host as they were read last. */
export class WatchedGpus {
  readonly #options: WatchedGpusOptions;
  #inventory = unreadGpus("The GPUs have not been read yet.");
  #looking: Promise<void> | undefined;
  /** The faults that are in the log, so that each is told once as long as it lasts. */
  #told: ReadonlySet<string> = new Set();

  constructor(options: WatchedGpusOptions) {
    this.#options = options;
  }

  get inventory(): GpuInventory {
    return this.#inventory;
  }

  /** Reads them again, once at a time. To be called at the start, and then every 30 s. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { read, host, log, isQuiet = false } = this.#options;
    this.#inventory = await read();
    const { outOfUse, fault } = this.#inventory;
    const faults = fault === undefined ? outOfUse.map(sentenceOf) : isQuiet ? [] : [fault];
    for (const reason of faults) {
      if (!this.#told.has(reason)) log.warn("GPUs get no new workers", { host, reason });
    }
    this.#told = new Set(faults);
  }
}

function sentenceOf({ uuid, index, reason }: GpuOutOfUse): string {
  const names = [...(index === undefined ? [] : [`GPU ${index}`]), ...(uuid === undefined ? [] : [uuid])];
  return names.length === 0 ? reason : `${names.join(", ")}: ${reason}`;
}
