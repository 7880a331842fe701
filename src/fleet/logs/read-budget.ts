import type { Clock } from "../../domain/clock.ts";

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
