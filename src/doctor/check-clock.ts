import { join, resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config.ts";
import { thisMachine } from "../system-clock.ts";
import { readBoot } from "../time-at-start.ts";
import { type Finding, ok, warn } from "./finding.ts";

const PART = "clock";

/** A step of the wall clock that is worth a word, ms. */
const NOTABLE = 60_000;

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
  if (Math.abs(off) < NOTABLE) return [ok(PART, "the wall clock and the time of the server agree")];
  const said = `the wall clock was set by ${Math.round(off / 1_000)} s, and the server goes on as before`;
  return [warn(PART, said, "Deadlines hold; times in answers are off until the machine starts anew.")];
}
