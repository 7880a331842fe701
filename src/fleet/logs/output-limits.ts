import type { Clock } from "../../domain/clock.ts";

/** The rate limit for the kept output of a worker: bytes per second, and bytes at once. */
const RATE = 1_048_576;
const BURST = 524_288;

/** The overhead of a line on the disk, bytes. */
const COST_OF_LINE = 128;

/** Limits how much output of a worker is kept. */
export interface LineAllowance {
  /** Once used up, it stays closed until half of it is available again: gaps are few and long. */
  isOpen(): boolean;
  /** A line of this many bytes was kept. */
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

/** How much output of all workers is read in each window, ms and bytes. Workers that print more must wait. */
const WINDOW = 25;
const BYTES = 786_432;

/** Limits the time that the server spends on reading output to a share of one core. */
export interface ReadBudget {
  /** This many bytes were read. Returns for how many ms nothing more may be read. */
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
