import type { WorkerStarts } from "../../src/engine/launch.ts";

/** Of an engine that no test asks for its hosts. */
export const NO_HOSTS: Pick<WorkerStarts, "hosts" | "hostRefusal" | "neverFits"> = {
  hosts: () => [],
  hostRefusal: async () => undefined,
  neverFits: () => undefined,
};
