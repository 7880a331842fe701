import type { Engine } from "../engine/engine.ts";
import type { WorkerLogFiles } from "../fleet/logs/worker-log-files.ts";
import type { Duty } from "./duty.ts";

/** Until then logs of one endpoint can be larger together than they may; ms. */
const INTERVAL = 2_000;

/** Each server tidies the logs of the workers that it has started. */
export function tidyLogsDuty({ configuration }: Engine, logs: WorkerLogFiles): Duty {
  return {
    name: "tidy logs",
    every: INTERVAL,
    run: () => logs.tidy((id) => configuration.get("endpoint", id) !== undefined),
  };
}
