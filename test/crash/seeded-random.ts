/** Random numbers that a seed repeats. */
export interface SeededRandom {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** True in `share` of all cases. */
  chance(share: number): boolean;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
}

/** The generator mulberry32 (T. Ettinger), seeded by the FNV-1a hash of the text. */
export function seededRandom(seed: string): SeededRandom {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(seed)) state = Math.imul(state ^ byte, 0x01000193);

  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));

  return {
    next,
    integer,
    chance: (share) => next() < share,
    pick: (values) => values[integer(0, values.length - 1)] ?? values[0],
  };
}
