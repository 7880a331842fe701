import type { WorkerStarts } from "../../src/engine/launch.ts";
import { startsFrom } from "../../src/fleet/starts-from.ts";

/** Of an engine that no test asks for its hosts. Processes have limits. */
export const NO_HOSTS: Omit<WorkerStarts, "refusal" | "runs"> = {
  startsFrom: (members) => startsFrom(members, { limitsProcesses: true }),
  hosts: () => [],
  hostRefusal: async () => undefined,
  engineAt: async (address) => address,
  neverFits: () => undefined,
};
