import { statfs } from "node:fs/promises";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";

/** So much of the disk is left to jobs, bytes; of a small disk a tenth. */
const LEFT_TO_JOBS = 64 * 1_048_576;
const SHARE_LEFT = 0.1;

/** How long what was seen of the disk is taken to hold, ms. */
const KNOWN_FOR = 1_000;

/** Whether the disk has room for logs: they stop before jobs do. */
export interface LogRoom {
  isThere(): Promise<boolean>;
  /** A log could not be written. */
  failed(error: unknown): void;
  /** A log was written. */
  worked(): void;
}

/** Says once that logs are not kept, and once that they are again. */
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
      isFree = bavail * bsize >= Math.min(LEFT_TO_JOBS, blocks * bsize * SHARE_LEFT);
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
