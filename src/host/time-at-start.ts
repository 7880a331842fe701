import { readFile } from "node:fs/promises";
import { errorCode } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { type MachineClocks, thisMachine, UPTIME_PRECISION, type Uptime } from "./system-clock.ts";
import { writeDurably } from "./durable-files.ts";

export interface TimeAtStartOptions {
  /** Keeps the time at which the machine was started, by the clock of this server. Undefined: not kept. */
  readonly file: string | undefined;
  /** The latest time in the store, or up to a second before it. */
  readonly notBefore: number;
  readonly log: Log;
  readonly machine?: MachineClocks;
}

/** A difference to the wall clock from which it is logged, ms. */
const NOTABLE = 60_000;

/** A server that was killed may have stored times that are later than `notBefore` by this much, ms. */
const UNKNOWN = 1_000;

/** The content of the file: a boot of the machine, and when it was. */
interface Boot {
  readonly boot: string;
  readonly at: number;
}

/**
 * The time with which a server starts, milliseconds since 1970 (promise P14). It continues the time of the
 * run before by the uptime of the machine, even if somebody set the wall clock: no deadline is missed or
 * early.
 *
 * It takes the wall clock at the first start, after a reboot, and if the system does not say its uptime. Even
 * then it is never before `notBefore`.
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
    // Add the time that the write took. Otherwise the next start would be ahead of this one.
    return at + (machine.uptime()?.ms ?? uptime.ms);
  }
  return now;
}

/** Undefined if the file is from another boot, or its time cannot be true. */
function continued(
  known: Boot | undefined,
  uptime: Uptime | undefined,
  notBefore: number,
): number | undefined {
  if (known === undefined || uptime?.boot !== known.boot) return undefined;
  const now = known.at + uptime.ms;
  return now < notBefore - UNKNOWN ? undefined : Math.max(now, notBefore);
}

/** The content of the file; undefined if there is none. */
export async function readBoot(file: string): Promise<Boot | undefined> {
  try {
    const [boot = "", at = ""] = (await readFile(file, "utf8")).trim().split(" ");
    return boot !== "" && /^[0-9]+$/.test(at) ? { boot, at: Number(at) } : undefined;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

/** If the disk is full, the server starts all the same, and the next start takes the wall clock. */
async function remember(file: string, { boot, at }: Boot, log: Log): Promise<void> {
  try {
    await writeDurably(file, `${boot} ${at}\n`);
  } catch (error) {
    if (!["ENOSPC", "EDQUOT"].includes(errorCode(error))) throw error;
    log.warn("the disk is full: a restart will go by the wall clock", { file });
  }
}
