import type { Duty } from "./duty.ts";
import type { FleetWorkers } from "./fleet-workers.ts";

const INTERVAL = 1_000;

/** While another server scales, somebody must still hand out again what the workers of this one held. */
export function settleDuty(workers: FleetWorkers, isWanted: () => boolean): Duty {
  return {
    name: "settle",
    every: INTERVAL,
    async run() {
      if (isWanted()) await workers.settleExits();
    },
  };
}
