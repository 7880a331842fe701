import { readFileSync } from "node:fs";
import type { Clock } from "../domain/clock.ts";
import { errorCode } from "../domain/errors.ts";

/** The clocks of a machine, each as it is now. */
export interface MachineClocks {
  /** Milliseconds since 1970; can be set by anybody at any time. */
  wall(): number;
  /** Undefined where the machine does not tell. */
  uptime(): Uptime | undefined;
}

/** How long a machine has been up: nobody can set that, and it goes on between two runs of a process. */
export interface Uptime {
  /** Names this start of the machine and no other. */
  readonly boot: string;
  /** Milliseconds, up to `UPTIME_PRECISION` too few. */
  readonly ms: number;
}

export const UPTIME_PRECISION = 10;

export const thisMachine: MachineClocks = { wall: () => Date.now(), uptime: linuxUptime };

/**
 * Time from `startsAt` on, run on by the monotonic clock: a step of the wall clock moves no deadline. Nothing
 * happens before its time, also where the timers of the runtime come early.
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

/** A clock that can be told the time of another one, by which it goes. */
export interface SteeredClock extends Clock {
  /** It is `now` there. When that lies behind, time stands still until it is reached. */
  steer(now: number): void;
}

/** Runs at the pace of `own`. */
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
