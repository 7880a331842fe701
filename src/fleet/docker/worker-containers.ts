import { z } from "zod";
import type { DockerEngine } from "./docker-engine.ts";
import { EngineFault } from "./engine-fault.ts";
import { LABELS, labelled } from "./labels.ts";

export interface WorkerContainer {
  readonly id: string;
  readonly worker: string;
  readonly endpoint: string;
  /** The server that made it. */
  readonly server: string;
  /** `ended` also when it was made and never started. */
  readonly state: "runs" | "created" | "ended";
}

const CONTAINERS = z.array(
  z.object({ Id: z.string(), State: z.string(), Labels: z.record(z.string(), z.string()) }),
);

/** In which states of the Engine API, and of podman, nothing of a container runs. */
const NOT_STARTED = new Set(["created", "configured", "initialized"]);
const ENDED = new Set(["exited", "dead", "stopped"]);

/** The containers of all workers of the deployment, those that have ended too. Throws EngineFault. */
export async function workerContainers(engine: DockerEngine, deployment: string): Promise<WorkerContainer[]> {
  const query = { all: "1", ...labelled({ [LABELS.deployment]: deployment }) };
  const containers = await engine.call({ method: "GET", path: "/containers/json", query }, CONTAINERS);
  return containers.map(({ Id, State, Labels }) => ({
    id: Id,
    worker: Labels[LABELS.worker] ?? "",
    endpoint: Labels[LABELS.endpoint] ?? "",
    server: Labels[LABELS.server] ?? "",
    state: NOT_STARTED.has(State) ? "created" : ENDED.has(State) ? "ended" : "runs",
  }));
}

/** The name of a worker's container. Ids of workers are never used twice, and so are these. */
export function containerName(worker: string): string {
  return `forebay-${worker}`;
}

/** Removes a container, running or not, with what it kept for itself alone. None there is as good. */
export async function removeContainer(engine: DockerEngine, container: string): Promise<void> {
  const query = { v: "1", force: "1" };
  try {
    await engine.tell({ method: "DELETE", path: `/containers/${container}`, query });
  } catch (error) {
    // 409: it is being removed already.
    if (!(error instanceof EngineFault) || ![404, 409].includes(error.status ?? 0)) throw error;
  }
}
