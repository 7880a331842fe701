import { join, resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config/config.ts";
import { thisMachine } from "../host/system-clock.ts";
import { readBoot } from "../host/time-at-start.ts";
import { type Finding, ok, type Part, warn } from "./finding.ts";

const PART = "clock";

/** A smaller step of the wall clock is not reported, ms. */
const NOTABLE_STEP = 60_000;

/** Checks whether the machine knows its uptime, and whether its wall clock was set since the start. */
export async function checkClock({ data, databaseUrl }: Config): Promise<Finding[]> {
  const uptime = thisMachine.uptime();
  if (uptime === undefined) {
    const said = "this machine does not show its uptime, so after a restart the server uses the wall clock";
    return [warn(PART, said, "Do not set the wall clock while jobs have deadlines.")];
  }
  if (data === IN_MEMORY || databaseUrl !== "") return [ok(PART, "the machine shows its uptime")];
  const known = await readBoot(join(resolve(data), "boot-time"));
  if (known?.boot !== uptime.boot) return [ok(PART, "the next start uses the wall clock")];
  const off = thisMachine.wall() - (known.at + uptime.ms);
  if (Math.abs(off) < NOTABLE_STEP) return [ok(PART, "the wall clock and the time of the server agree")];
  const said = `the wall clock was changed by ${Math.round(off / 1_000)} s, and the server kept its time`;
  return [
    warn(PART, said, "Deadlines are correct, but times in answers are wrong until the machine restarts."),
  ];
}

/** The time that another clock answered, with the times here before and after, ms since 1970. */
interface AskedClock {
  readonly part: Part;
  /** When the question was sent. */
  readonly asked: number;
  /** The answer. It was read at some time between question and answer. */
  readonly time: number;
  /** When the answer arrived. */
  readonly answered: number;
  /** What to do if the clocks differ. */
  readonly mend: string;
}

/**
 * A difference that people notice, ms. After a restart the time of a server may be 20 ms behind (decision
 * 0013), and clocks that NTP sets differ by less than this.
 */
const NOTABLE_DIFFERENCE = 1_000;

/**
 * Checks whether another clock and the one here differ. Only a difference that the travel time cannot explain
 * counts, so a slow answer is never reported. The amount assumes that both ways took equally long, as NTP
 * does.
 */
export function compareClocks({ part, asked, time, answered, mend }: AskedClock): Finding {
  const unexplained = Math.max(asked - time, time - answered);
  if (unexplained < NOTABLE_DIFFERENCE) return ok(part, "its clock agrees with the clock of this machine");
  const off = time - (asked + answered) / 2;
  const way = off < 0 ? "behind" : "ahead of";
  return warn(
    part,
    `its clock is ${(Math.abs(off) / 1_000).toFixed(1)} s ${way} the clock of this machine`,
    mend,
  );
}
