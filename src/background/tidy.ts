import type { Duty } from "./duty.ts";
import type { FleetWorkers } from "./fleet-workers.ts";

/** Nothing waits for it but disks and left-overs. ms. */
const INTERVAL = 2_000;

/** Each server tidies what it runs workers with: nobody else may reach that. */
export function tidyDuty(workers: FleetWorkers): Duty {
  return { name: "tidy", every: INTERVAL, run: () => workers.tidy() };
}
