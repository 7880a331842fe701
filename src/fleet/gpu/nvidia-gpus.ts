import { type GpuInventory, inventoryOf, withMissingCards } from "./gpu-inventory.ts";
import {
  type CardTable,
  LIST_CARDS,
  LIST_SLICES,
  readCards,
  readSlices,
  type SliceTable,
} from "./nvidia-smi-output.ts";
import type { SmiRun } from "./run-nvidia-smi.ts";

/** The NVIDIA GPUs of a machine, by its `nvidia-smi`. */
export class NvidiaGpus {
  readonly #run: SmiRun;
  /** The index of each card that was ever there, by UUID. */
  readonly #known = new Map<string, number>();

  constructor(run: SmiRun) {
    this.#run = run;
  }

  /**
   * Reads the GPUs, in two runs at most. Never throws: what cannot be read is in the answer, with the reason.
   * A machine without `nvidia-smi` has no GPUs.
   */
  async read(): Promise<GpuInventory> {
    const cards = await this.#readCards();
    const isSliced = cards.cards.some((card) => card.isSliced);
    const slices = isSliced ? await this.#readSlices() : undefined;
    return withMissingCards(inventoryOf(cards, slices), this.#known);
  }

  async #readCards(): Promise<CardTable> {
    const outcome = await this.#run(LIST_CARDS);
    if ("answer" in outcome) return readCards(outcome.answer);
    return { cards: [], outOfUse: [], fault: outcome.isAbsent ? undefined : outcome.fault };
  }

  async #readSlices(): Promise<SliceTable> {
    const outcome = await this.#run(LIST_SLICES);
    return "answer" in outcome ? readSlices(outcome.answer) : { slices: [], fault: outcome.fault };
  }
}
