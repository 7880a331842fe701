import { resolve } from "node:path";
import { type DiskSpace, diskState, type DiskState, lowBytes } from "../domain/disk-space.ts";
import type { Log } from "../domain/log.ts";
import type { WatchedDisk } from "../domain/meters.ts";
import type { Engine } from "../engine/engine.ts";
import { freeSpace } from "../fleet/free-space.ts";
import type { BackgroundJob } from "./run-background-jobs.ts";

/** The disk has room again if this times the limit is free: otherwise the log would repeat itself. */
const CLEAR = 1.1;

/** How often we look, ms. */
const INTERVAL = 1_000;

const MB = 1_048_576;

/**
 * Watches the file system of the data directory. Each look logs a change: almost full, full, or room again.
 * Data in memory has no such file system.
 */
export function watchDisk(data: string, log: Log): WatchedDisk {
  const directory = resolve(data);
  let space: DiskSpace | undefined;
  let logged: DiskState = "ok";

  function logChange(state: DiskState, { free, total }: DiskSpace): void {
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
      if (state === logged || (state === "ok" && space.free < lowBytes(space) * CLEAR)) return;
      logged = state;
      logChange(state, space);
    },
  };
}

/** Each server looks at the disk of its own data directory, and gives unused space of the database back. */
export function diskSpaceJob({ store, meters }: Engine): BackgroundJob {
  return {
    name: "disk space",
    every: INTERVAL,
    async run() {
      await meters.disk.look();
      await store.releaseSpace();
    },
  };
}
