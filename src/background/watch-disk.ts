import { statfs } from "node:fs/promises";
import { resolve } from "node:path";
import { type DiskSpace, diskState, type DiskState, lowBytes } from "../domain/disk-space.ts";
import { errorCode } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { WatchedDisk } from "../domain/meters.ts";

/** Room that comes and goes at the limit is not worth a line each time: so much more must be free again. */
const CLEAR = 1.1;

const MB = 1_048_576;

/**
 * The file system of the data directory, which is not there for data in memory. Each look logs when it got
 * full, or has room again.
 */
export function watchDisk(data: string, log: Log): WatchedDisk {
  const directory = resolve(data);
  let space: DiskSpace | undefined;
  let told: DiskState = "ok";

  function tell(state: DiskState, { free, total }: DiskSpace): void {
    const fields = { directory, freeMb: Math.floor(free / MB), totalMb: Math.floor(total / MB) };
    if (state === "ok") log.info("the disk has room again", fields);
    else if (state === "low") log.warn("the disk is almost full: make room, or move the data", fields);
    else log.warn("the disk is full: logs of workers are not kept, and jobs are refused soon", fields);
  }

  return {
    space: () => space,
    async look() {
      space = await freeSpace(directory);
      if (space === undefined) return;
      const state = diskState(space);
      if (state === told || (state === "ok" && space.free < lowBytes(space) * CLEAR)) return;
      told = state;
      tell(state, space);
    },
  };
}

/** Undefined where the directory is gone, or its file system does not tell. */
async function freeSpace(directory: string): Promise<DiskSpace | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(directory);
    return blocks === 0 ? undefined : { free: bavail * bsize, total: blocks * bsize };
  } catch (error) {
    if (["ENOENT", "EACCES", "EIO", "ENOSYS"].includes(errorCode(error))) return undefined;
    throw error;
  }
}
