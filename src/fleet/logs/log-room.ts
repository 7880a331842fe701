import { statfs } from "node:fs/promises";
import type { Clock } from "../../domain/clock.ts";
import { diskState } from "../../domain/disk-space.ts";
import { errorCode } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";

/** How long one look at the disk is valid, ms. */
const KNOWN_FOR = 1_000;

/** Whether the disk has room for logs. Logs stop before jobs do. */
export interface LogRoom {
  isThere(): Promise<boolean>;
  /** A log could not be written. */
  failed(error: unknown): void;
  /** A log was written. */
  worked(): void;
}

/** Logs once when worker logs stop, and once when they resume. */
export function logRoom(directory: string, clock: Clock, log: Log): LogRoom {
  let seenAt = Number.NEGATIVE_INFINITY;
  let isFree = true;
  let isFailing = false;

  function failed(reason: string): void {
    if (!isFailing) log.warn("what workers print is not kept until the disk has room again", { reason });
    isFailing = true;
  }

  return {
    async isThere() {
      const now = clock.now();
      if (now - seenAt < KNOWN_FOR) return isFree;
      seenAt = now;
      const { bavail, blocks, bsize } = await statfs(directory);
      isFree = diskState({ free: bavail * bsize, total: blocks * bsize }) !== "full";
      if (!isFree) failed(`${Math.floor((bavail * bsize) / 1_048_576)} MB are free`);
      return isFree;
    },
    failed: (error) => failed(errorCode(error) || String(error)),
    worked() {
      if (isFailing) log.info("what workers print is kept again");
      isFailing = false;
    },
  };
}
