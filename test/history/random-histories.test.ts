import { describe, expect, test } from "bun:test";
import { seededRandom } from "../crash/seeded-random.ts";
import { SEED } from "../support/seed.ts";
import { checkHistory } from "./check-history.ts";
import { FAULTLESS } from "./faults.ts";
import { ReferenceQueue } from "./reference-queue.ts";

/** On a busy machine, ms. */
const LIMIT = 60_000;
const HISTORIES = 200;

describe("histories of a queue that keeps its promises", () => {
  test(
    `the checker accepts ${HISTORIES} of them (SEED=${SEED})`,
    () => {
      for (let number = 0; number < HISTORIES; number++) {
        const seed = `${SEED}/${number}`;
        const events = ReferenceQueue.history(seededRandom(seed), 120);
        expect({ seed, ...checkHistory(events).faults }).toEqual({ seed, ...FAULTLESS });
      }
    },
    LIMIT,
  );
});
