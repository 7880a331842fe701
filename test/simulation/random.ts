/** Random choices that a seed decides. */
export interface Random {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number;
  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** Streams of one seed with different names are independent: without one the others stay as they are. */
export function random(seed: number, name: string): Random {
  let state = mix(seed, name);

  /** mulberry32: 32 bits of state are enough for a few thousand choices. */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = state;
    word = Math.imul(word ^ (word >>> 15), word | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  }

  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("there is nothing to pick from");
      return item;
    },
  };
}

/** FNV-1a over the name, started by the seed. */
function mix(seed: number, name: string): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let index = 0; index < name.length; index++) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}
