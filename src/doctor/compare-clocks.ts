import { type Finding, ok, type Part, warn } from "./finding.ts";

/** A clock that was asked, by the clock here, ms since 1970. */
export interface AskedClock {
  readonly part: Part;
  /** When the question left. */
  readonly asked: number;
  /** What it answered: the time somewhere between the question and the answer. */
  readonly time: number;
  /** When the answer was here. */
  readonly answered: number;
  /** What to do when the two differ. */
  readonly mend: string;
}

/**
 * A difference that people notice, ms. The time of a server may be behind by 20 ms after a restart (decision
 * 0013), and clocks that NTP sets are closer than this.
 */
const NOTABLE = 1_000;

/**
 * Whether another clock and the one here differ. A way that took long hides a difference of its own length,
 * and never looks like one: only what it cannot explain counts. How much is told as NTP does, as if both ways
 * took as long.
 */
export function compareClocks({ part, asked, time, answered, mend }: AskedClock): Finding {
  const unexplained = Math.max(asked - time, time - answered);
  if (unexplained < NOTABLE) return ok(part, "its clock and the one here agree");
  const off = time - (asked + answered) / 2;
  const way = off < 0 ? "behind" : "ahead of";
  return warn(part, `its clock is ${(Math.abs(off) / 1_000).toFixed(1)} s ${way} the one here`, mend);
}
