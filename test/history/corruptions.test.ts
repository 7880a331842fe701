import { describe, expect, test } from "bun:test";
import { seededRandom } from "../crash/seeded-random.ts";
import { SEED } from "../support/seed.ts";
import { checkHistory } from "./check-history.ts";
import { CORRUPTIONS } from "./corruptions.ts";
import { FAULTLESS } from "./faults.ts";
import { ReferenceQueue } from "./reference-queue.ts";

/** On a busy machine, ms. */
const LIMIT = 60_000;
const HISTORIES = 1_000;
/** So many are changed in each way. */
const ENOUGH = 15;

describe(`the checker rejects each history in which (SEED=${SEED})`, () => {
  for (const [name, corrupt] of Object.entries(CORRUPTIONS)) {
    test(
      name,
      () => {
        let rejected = 0;
        for (let number = 0; number < HISTORIES && rejected < ENOUGH; number++) {
          const seed = `${SEED}/${number}`;
          const random = seededRandom(seed);
          const events = corrupt(ReferenceQueue.history(random, 80), random);
          if (events === undefined) continue;
          expect({ seed, ...checkHistory(events).faults }).not.toEqual({ seed, ...FAULTLESS });
          rejected++;
        }
        expect(rejected).toBe(ENOUGH);
      },
      LIMIT,
    );
  }
});
