import { z } from "zod";
import { volumeName } from "./container-body.ts";
import type { DockerEngine } from "./docker-engine.ts";
import { EngineFault } from "./engine-fault.ts";
import { LABELS, labelled } from "./labels.ts";

const VOLUMES = z.object({
  Volumes: z
    .array(z.object({ Name: z.string(), Labels: z.record(z.string(), z.string()).nullish() }))
    .nullish(),
});

/** The volumes of a deployment: one for each endpoint, made with its first container. */
export function endpointVolumes(engine: DockerEngine, deployment: string) {
  return {
    /** Ids of the endpoints that have one. Throws EngineFault. */
    async endpoints(): Promise<string[]> {
      const query = labelled({ [LABELS.deployment]: deployment });
      const { Volumes } = await engine.call({ method: "GET", path: "/volumes", query }, VOLUMES);
      return (Volumes ?? []).flatMap(({ Labels }) => Labels?.[LABELS.endpoint] ?? []);
    },

    /** One that a container still has stays. Throws EngineFault. */
    async remove(endpoint: string): Promise<void> {
      try {
        await engine.tell({ method: "DELETE", path: `/volumes/${volumeName(deployment, endpoint)}` });
      } catch (error) {
        if (!(error instanceof EngineFault) || ![404, 409].includes(error.status ?? 0)) throw error;
      }
    },
  };
}
