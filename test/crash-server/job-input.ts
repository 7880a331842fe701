import type { SeededRandom } from "../crash/seeded-random.ts";

/** What a job is to do. */
export interface JobInput {
  /** By this a job is known when the answer to its submission did not come. */
  readonly tag: string;
  /** Runs this long, ms. */
  readonly work: number;
  readonly fails: boolean;
  /** Characters of the input, and of the output, that mean nothing. */
  readonly filler: string;
  readonly outputFiller: number;
  /** Chunks, if the worker can send some. */
  readonly chunks: number;
}

interface Submitted {
  readonly input: JobInput;
  readonly policy: { readonly executionTimeout?: number; readonly ttl?: number } | undefined;
}

/** Longer than the shortest execution timeout; a worker that lost such a job goes on with it to the end. */
const HANGING = 8_000;

/** Payloads from this size on lie in files. */
const LARGE = 66_000;

export function someJob(random: SeededRandom, tag: string): Submitted {
  const roll = random.next();
  const hangs = roll < 0.005;
  return {
    input: {
      tag,
      work: hangs ? HANGING : random.integer(0, random.chance(0.1) ? 300 : 40),
      fails: random.chance(0.2),
      filler: "i".repeat(random.chance(0.04) ? random.integer(LARGE, 2 * LARGE) : 0),
      outputFiller: random.chance(0.04) ? random.integer(LARGE, 2 * LARGE) : 0,
      chunks: random.chance(0.4) ? random.integer(1, 5) : 0,
    },
    policy: hangs ? { executionTimeout: 5_001 } : roll < 0.1 ? { ttl: 10_000 } : undefined,
  };
}
