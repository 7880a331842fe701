import type { Engine } from "../engine/engine.ts";
import type { Duty } from "./duty.ts";

/** What the store counts as busy is by this time, ms. */
const INTERVAL = 1_000;

/** Each server has its own data directory, if it has one. */
export function diskSpaceDuty({ store, meters }: Engine): Duty {
  return {
    name: "disk space",
    every: INTERVAL,
    async run() {
      await meters.disk.look();
      await store.releaseSpace();
    },
  };
}
