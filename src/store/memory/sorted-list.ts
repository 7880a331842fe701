/** Items in an order. While somebody walks along them nothing may be added or removed. */
export interface SortedList<Item extends object> {
  readonly size: number;
  /** The item must not be there. */
  add(item: Item): void;
  /** The item must be there, and stand where the order says. */
  remove(item: Item): void;
  /** Upwards, from the first item that `skips` does not leave out: it holds for the lowest items. */
  ascending(skips?: (item: Item) => boolean): Generator<Item, void>;
  /** Downwards, from the last item that `reaches` holds for: it holds for the lowest items. */
  descending(reaches?: (item: Item) => boolean): Generator<Item, void>;
}

/** A block that grows beyond this many items is divided. */
const BLOCK_LIMIT = 256;

/** `compare` must tell apart any two items. */
export function sortedList<Item extends object>(
  compare: (one: Item, other: Item) => number,
): SortedList<Item> {
  /** In their order, each sorted, none empty. */
  const blocks: Item[][] = [];
  let size = 0;

  /** The first item that `isBefore` does not hold for; behind the last block if there is none. */
  function placeOf(isBefore: (item: Item) => boolean): { readonly block: number; readonly at: number } {
    const block = firstIndex(blocks, (items) => {
      const last = items.at(-1);
      return last === undefined || isBefore(last);
    });
    const items = blocks[block];
    return { block, at: items === undefined ? 0 : firstIndex(items, isBefore) };
  }

  return {
    get size() {
      return size;
    },

    add(item) {
      size++;
      const { block, at } = placeOf((other) => compare(other, item) < 0);
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
    },

    remove(item) {
      const { block, at } = placeOf((other) => compare(other, item) < 0);
      const items = blocks[block];
      if (items?.[at] !== item) throw new Error("an item of a sorted list is not where it should be");
      size--;
      items.splice(at, 1);
      if (items.length === 0) blocks.splice(block, 1);
    },

    *ascending(skips = () => false) {
      let { block, at } = placeOf(skips);
      for (; block < blocks.length; block++, at = 0) {
        const items = blocks[block] ?? [];
        for (; at < items.length; at++) {
          const item = items[at];
          if (item !== undefined) yield item;
        }
      }
    },

    *descending(reaches = () => true) {
      const place = placeOf(reaches);
      for (let block = Math.min(place.block, blocks.length - 1); block >= 0; block--) {
        const items = blocks[block] ?? [];
        const end = block === place.block ? place.at : items.length;
        for (let at = end - 1; at >= 0; at--) {
          const item = items[at];
          if (item !== undefined) yield item;
        }
      }
    },
  };
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
