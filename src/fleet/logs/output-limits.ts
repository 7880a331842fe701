import type { Clock } from "../../domain/clock.ts";

/** What a worker may print and have kept: so many bytes a second, and so many at once. */
const RATE = 1_048_576;
const BURST = 524_288;

/** What a line costs beside its bytes, as it does on the disk. */
const COST_OF_LINE = 128;

/** How many of a worker's lines are kept. */
export interface LineAllowance {
  /** Once it is used up it is not open before half of it has come back: gaps are few and long. */
  isOpen(): boolean;
  /** A line of so many bytes was kept. */
  take(bytes: number): void;
}

export function lineAllowance(clock: Clock): LineAllowance {
  let left = BURST;
  let at = clock.now();
  let isShut = false;
  return {
    isOpen() {
      const now = clock.now();
      left = Math.min(BURST, left + ((now - at) * RATE) / 1_000);
      at = now;
      isShut = isShut ? left < BURST / 2 : left <= 0;
      return !isShut;
    },
    take(bytes) {
      left -= bytes + COST_OF_LINE;
    },
  };
}

/** How much of what all workers print is read in each window: whoever prints more has to wait. */
const WINDOW = 25;
const BYTES = 786_432;

/** Holds the time that the server spends on reading what workers print to a share of a core. */
export interface ReadBudget {
  /** So many bytes were read; nothing more is to be read for as many ms as the answer says. */
  take(bytes: number): number;
}

export function readBudget(clock: Clock): ReadBudget {
  let windowEnd = 0;
  let used = 0;
  return {
    take(bytes) {
      const now = clock.now();
      if (now >= windowEnd) {
        windowEnd = now + WINDOW;
        used = 0;
      }
      used += bytes;
      return used > BYTES ? windowEnd - now : 0;
    },
  };
}
