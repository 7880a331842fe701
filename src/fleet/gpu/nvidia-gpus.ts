import { type GpuInventory, inventoryOf, withMissingCards } from "./gpu-inventory.ts";
import {
  type CardTable,
  isUnknownField,
  LIST_CARDS,
  LIST_CARDS_ONLY,
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
  /** The driver has refused to say how busy the cards are. */
  #isRefused = false;

  constructor(run: SmiRun) {
    this.#run = run;
  }

  /**
   * Reads the GPUs, in two runs at most, and the first time in three. Never throws: what cannot be read is in
   * the answer, with the reason. A machine without `nvidia-smi` has no GPUs.
   */
  async read(): Promise<GpuInventory> {
    const cards = await this.#readCards();
    const isSliced = cards.cards.some((card) => card.isSliced);
    const slices = isSliced ? await this.#readSlices() : undefined;
    return withMissingCards(inventoryOf(cards, slices), this.#known);
  }

  async #readCards(): Promise<CardTable> {
    const outcome = await this.#run(this.#isRefused ? LIST_CARDS_ONLY : LIST_CARDS);
    if ("answer" in outcome) {
      if (this.#isRefused || !isUnknownField(outcome.answer)) return readCards(outcome.answer);
      this.#isRefused = true;
      return this.#readCards();
    }
    return { cards: [], outOfUse: [], fault: outcome.isAbsent ? undefined : outcome.fault };
  }

  async #readSlices(): Promise<SliceTable> {
    const outcome = await this.#run(LIST_SLICES);
    return "answer" in outcome ? readSlices(outcome.answer) : { slices: [], fault: outcome.fault };
  }
}
