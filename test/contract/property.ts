import * as fc from "fast-check";

/**
 * Asserts that `check` holds of random values. A failure prints the seed, and `SEED=<that number>` repeats
 * it; `RUNS` multiplies the number of runs, for a longer search.
 */
export async function property<Value>(
  values: fc.Arbitrary<Value>,
  runs: number,
  check: (value: Value) => Promise<void>,
): Promise<void> {
  const { SEED, RUNS } = process.env;
  await fc.assert(fc.asyncProperty(values, check), {
    numRuns: runs * Number(RUNS ?? 1),
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
  });
}
