import { readFileSync } from "node:fs";
import type { Clock } from "../domain/clock.ts";
import { errorCode } from "../domain/errors.ts";

/** The clocks of a machine. */
export interface MachineClocks {
  /** Milliseconds since 1970. An operator or NTP can set it at any time. */
  wall(): number;
  /** Undefined if the system does not say. */
  uptime(): Uptime | undefined;
}

/** How long a machine has been up. Nobody can set it, and it continues between two runs of a process. */
export interface Uptime {
  /** Identifies this boot of the machine. */
  readonly boot: string;
  /** Milliseconds; up to `UPTIME_PRECISION` less than the real value. */
  readonly ms: number;
}

/** The resolution of the uptime, ms. */
export const UPTIME_PRECISION = 10;

export const thisMachine: MachineClocks = { wall: () => Date.now(), uptime: linuxUptime };

/**
 * Counts from `startsAt` by the monotonic clock: if the wall clock is set, no deadline moves. A timer never
 * fires early, even if the timers of the runtime do.
 */
export function systemClock(startsAt: number = thisMachine.wall()): Clock {
  const origin = performance.now();
  return {
    now: () => startsAt + Math.floor(performance.now() - origin),
    after(ms, action) {
      const dueAt = performance.now() + ms;
      const look = (): void => {
        const left = dueAt - performance.now();
        if (left > 0) timer = setTimeout(look, Math.ceil(left));
        else action();
      };
      let timer = setTimeout(look, ms);
      return () => clearTimeout(timer);
    },
  };
}

/** A clock that follows another one. */
export interface SteeredClock extends Clock {
  /** Sets the time to `now`, that of the other clock. If it is earlier, time stands still until then. */
  steer(now: number): void;
}

/** Runs at the pace of `own` between two calls of `steer`. */
export function steeredClock(startsAt: number, own: Clock = systemClock(startsAt)): SteeredClock {
  let ahead = 0;
  let latest = startsAt;
  return {
    now() {
      latest = Math.max(latest, own.now() + ahead);
      return latest;
    },
    after: own.after,
    steer(now) {
      ahead = now - own.now();
    },
  };
}

function linuxUptime(): Uptime | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const seconds = Number.parseFloat(readFileSync("/proc/uptime", "utf8"));
    return boot !== "" && seconds >= 0 ? { boot, ms: Math.round(seconds * 1_000) } : undefined;
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return undefined;
  }
}
