/** A block that grows beyond this many items is divided. */
const BLOCK_LIMIT = 256;

/** Items in an order. While somebody walks along them nothing may be added or removed. */
export class SortedList<Item extends object> {
  readonly #compare: (one: Item, other: Item) => number;
  /** In their order, each sorted, none empty. */
  readonly #blocks: Item[][] = [];
  #size = 0;

  /** `compare` must tell apart any two items. */
  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  /** The item must not be there. */
  add(item: Item): void {
    this.#size++;
    const blocks = this.#blocks;
    const { block, at } = this.#placeOf((other) => this.#compare(other, item) < 0);
    const items = blocks[block];
    if (items === undefined) {
      // Most items come in their order: full blocks stay full.
      const last = blocks.at(-1);
      if (last === undefined || last.length >= BLOCK_LIMIT) blocks.push([item]);
      else last.push(item);
      return;
    }
    items.splice(at, 0, item);
    if (items.length > BLOCK_LIMIT) blocks.splice(block + 1, 0, items.splice(BLOCK_LIMIT / 2));
  }

  /** The item must be there, and stand where the order says. */
  remove(item: Item): void {
    const { block, at } = this.#placeOf((other) => this.#compare(other, item) < 0);
    const items = this.#blocks[block];
    if (items?.[at] !== item) throw new Error("an item of a sorted list is not where it should be");
    this.#size--;
    items.splice(at, 1);
    if (items.length === 0) this.#blocks.splice(block, 1);
  }

  /** Upwards, from the first item that `skips` does not leave out: it holds for the lowest items. */
  *ascending(skips: (item: Item) => boolean = () => false): Generator<Item, void> {
    const blocks = this.#blocks;
    let { block, at } = this.#placeOf(skips);
    for (; block < blocks.length; block++, at = 0) {
      const items = blocks[block] ?? [];
      for (; at < items.length; at++) {
        const item = items[at];
        if (item !== undefined) yield item;
      }
    }
  }

  /** Downwards, from the last item that `reaches` holds for: it holds for the lowest items. */
  *descending(reaches: (item: Item) => boolean = () => true): Generator<Item, void> {
    const blocks = this.#blocks;
    const place = this.#placeOf(reaches);
    for (let block = Math.min(place.block, blocks.length - 1); block >= 0; block--) {
      const items = blocks[block] ?? [];
      const end = block === place.block ? place.at : items.length;
      for (let at = end - 1; at >= 0; at--) {
        const item = items[at];
        if (item !== undefined) yield item;
      }
    }
  }

  /** The first item that `isBefore` does not hold for; behind the last block if there is none. */
  #placeOf(isBefore: (item: Item) => boolean): { readonly block: number; readonly at: number } {
    const block = firstIndex(this.#blocks, (items) => {
      const last = items.at(-1);
      return last === undefined || isBefore(last);
    });
    const items = this.#blocks[block];
    return { block, at: items === undefined ? 0 : firstIndex(items, isBefore) };
  }
}

/** The index of the first item that `isBefore` does not hold for, by halving. */
function firstIndex<Item extends object>(items: readonly Item[], isBefore: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
