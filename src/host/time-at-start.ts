import { readFile } from "node:fs/promises";
import { errorCode } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { type MachineClocks, thisMachine, UPTIME_PRECISION, type Uptime } from "./system-clock.ts";
import { writeDurably } from "./write-durably.ts";

export interface TimeAtStartOptions {
  /** Remembers when the machine was started, as this server counts time; undefined remembers nothing. */
  readonly file: string | undefined;
  /** The latest time that was stored, or up to a second before it. */
  readonly notBefore: number;
  readonly log: Log;
  readonly machine?: MachineClocks;
}

/** A difference to the wall clock that is worth a line in the log, ms. */
const NOTABLE = 60_000;

/** A server that was killed may have stored later times than is known, by this much, ms. */
const UNKNOWN = 1_000;

/** What the file holds: which start of the machine, and when that was. */
interface Boot {
  readonly boot: string;
  readonly at: number;
}

/**
 * The time with which a server starts, milliseconds since 1970 (promise P14). It goes on from the run before
 * by the time that the machine has been up since, whatever the wall clock was set to meanwhile: deadlines are
 * neither missed nor early. The wall clock counts at the first start, when the machine was started anew, and
 * where it does not tell how long it is up; then too time is never before `notBefore`.
 */
export async function timeAtStart(options: TimeAtStartOptions): Promise<number> {
  const { file, notBefore, log, machine = thisMachine } = options;
  const known = file === undefined ? undefined : await readBoot(file);
  const uptime = machine.uptime();
  const wall = machine.wall();
  const goneOn = continued(known, uptime, notBefore);
  const now = goneOn ?? Math.max(wall, notBefore);
  if (Math.abs(now - wall) >= NOTABLE) {
    log.warn("the wall clock was set while jobs had deadlines: time goes on as before", { set: wall - now });
  }
  if (file !== undefined && uptime !== undefined && goneOn === undefined) {
    const at = now - uptime.ms;
    // A deadline may fire late after the next start, never early.
    await remember(file, { boot: uptime.boot, at: at - UPTIME_PRECISION }, log);
    // Writing takes a while on a busy disk: without that while, the next start would be ahead of this one.
    return at + (machine.uptime()?.ms ?? uptime.ms);
  }
  return now;
}

/** Undefined when nothing is known of this start of the machine, or what is known cannot be true. */
function continued(
  known: Boot | undefined,
  uptime: Uptime | undefined,
  notBefore: number,
): number | undefined {
  if (known === undefined || uptime?.boot !== known.boot) return undefined;
  const now = known.at + uptime.ms;
  return now < notBefore - UNKNOWN ? undefined : Math.max(now, notBefore);
}

/** What is remembered of the start of the machine; undefined where nothing is. */
export async function readBoot(file: string): Promise<Boot | undefined> {
  try {
    const [boot = "", at = ""] = (await readFile(file, "utf8")).trim().split(" ");
    return boot !== "" && /^[0-9]+$/.test(at) ? { boot, at: Number(at) } : undefined;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

/** Without room the server starts all the same, and the next start goes by the wall clock. */
async function remember(file: string, { boot, at }: Boot, log: Log): Promise<void> {
  try {
    await writeDurably(file, `${boot} ${at}\n`);
  } catch (error) {
    if (!["ENOSPC", "EDQUOT"].includes(errorCode(error))) throw error;
    log.warn("the disk is full: a restart will go by the wall clock", { file });
  }
}
