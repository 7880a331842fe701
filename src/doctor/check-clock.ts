import { join, resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config.ts";
import { thisMachine } from "../system-clock.ts";
import { readBoot } from "../time-at-start.ts";
import { type Finding, ok, type Part, warn } from "./finding.ts";

const PART = "clock";

/** A step of the wall clock that is worth a word, ms. */
const NOTABLE_STEP = 60_000;

/** Whether the machine tells how long it is up, and whether its wall clock was set meanwhile. */
export async function checkClock({ data, databaseUrl }: Config): Promise<Finding[]> {
  const uptime = thisMachine.uptime();
  if (uptime === undefined) {
    const said = "this machine does not tell how long it is up: after a restart time goes by the wall clock";
    return [warn(PART, said, "Do not set the wall clock while jobs have deadlines.")];
  }
  if (data === IN_MEMORY || databaseUrl !== "") return [ok(PART, "the machine tells how long it is up")];
  const known = await readBoot(join(resolve(data), "boot-time"));
  if (known?.boot !== uptime.boot) return [ok(PART, "time begins by the wall clock at the next start")];
  const off = thisMachine.wall() - (known.at + uptime.ms);
  if (Math.abs(off) < NOTABLE_STEP) return [ok(PART, "the wall clock and the time of the server agree")];
  const said = `the wall clock was set by ${Math.round(off / 1_000)} s, and the server goes on as before`;
  return [warn(PART, said, "Deadlines hold; times in answers are off until the machine starts anew.")];
}

/** A clock that was asked, by the clock here, ms since 1970. */
interface AskedClock {
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
const NOTABLE_DIFFERENCE = 1_000;

/**
 * Whether another clock and the one here differ. A way that took long hides a difference of its own length,
 * and never looks like one: only what it cannot explain counts. How much is told as NTP does, as if both ways
 * took as long.
 */
export function compareClocks({ part, asked, time, answered, mend }: AskedClock): Finding {
  const unexplained = Math.max(asked - time, time - answered);
  if (unexplained < NOTABLE_DIFFERENCE) return ok(part, "its clock and the one here agree");
  const off = time - (asked + answered) / 2;
  const way = off < 0 ? "behind" : "ahead of";
  return warn(part, `its clock is ${(Math.abs(off) / 1_000).toFixed(1)} s ${way} the one here`, mend);
}
