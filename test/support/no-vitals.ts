import { emptyHistogram } from "../../src/domain/histogram.ts";
import type { Vitals, WatchedDisk } from "../../src/domain/meters.ts";

/** Where nobody asks how it is with the process. */
export const NO_VITALS: Vitals = {
  startedAt: 0,
  uptime: () => 0,
  loopDelays: emptyHistogram(),
  memory: () => 0,
  cpu: () => 0,
  stopwatch: () => () => 0,
  stop: () => undefined,
};

/** Where nobody asks for the room on the disk. */
export const NO_DISK: WatchedDisk = { space: () => undefined, look: async () => undefined };
