import { z } from "zod";
import type { WorkerGpu } from "../provider.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";

/** The labels by which a server finds its own containers and volumes. */
export const LABELS = {
  deployment: "io.forebay.deployment",
  server: "io.forebay.server",
  endpoint: "io.forebay.endpoint",
  worker: "io.forebay.worker",
  image: "io.forebay.image",
  digest: "io.forebay.digest",
  devices: "io.forebay.devices",
} as const;

/** The label with the GPUs of a worker: their UUIDs, so that the engine tells what the ledger should have. */
export function devicesLabel(gpus: readonly WorkerGpu[]): string {
  return gpus.map(({ uuid }) => uuid).join(",");
}

/** The query for everything that has all these labels. */
export function labelled(labels: Readonly<Record<string, string>>): Record<string, string> {
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return { filters: JSON.stringify({ label }) };
}

interface WorkerContainer {
  readonly id: string;
  readonly worker: string;
  readonly endpoint: string;
  /** The server that created it. */
  readonly server: string;
  /** `ended` also if it was created and never started. */
  readonly state: "runs" | "created" | "ended";
  /** The UUIDs of its GPUs. */
  readonly devices: readonly string[];
}

const CONTAINERS = z.array(
  z.object({ Id: z.string(), State: z.string(), Labels: z.record(z.string(), z.string()) }),
);

/** The states of the Engine API, and of podman, in which nothing of a container runs. */
const NOT_STARTED = new Set(["created", "configured", "initialized"]);
const ENDED = new Set(["exited", "dead", "stopped"]);

/** How long the engine may take to say which workers exist, ms. After that it counts as away. */
const LIST_PATIENCE = 5_000;

/** The containers of all workers of the deployment, also ended ones. Throws EngineFault. */
export async function workerContainers(engine: DockerEngine, deployment: string): Promise<WorkerContainer[]> {
  const query = { all: "1", ...labelled({ [LABELS.deployment]: deployment }) };
  const call = { method: "GET", path: "/containers/json", query, patience: LIST_PATIENCE } as const;
  const containers = await engine.call(call, CONTAINERS);
  return containers.map(({ Id, State, Labels }) => ({
    id: Id,
    worker: Labels[LABELS.worker] ?? "",
    endpoint: Labels[LABELS.endpoint] ?? "",
    server: Labels[LABELS.server] ?? "",
    state: NOT_STARTED.has(State) ? "created" : ENDED.has(State) ? "ended" : "runs",
    devices: (Labels[LABELS.devices] ?? "").split(",").filter((uuid) => uuid !== ""),
  }));
}

/** The name of a worker's container. Worker ids are never reused, so these names are not either. */
export function containerName(worker: string): string {
  return `forebay-${worker}`;
}

/**
 * Removes a container and its anonymous volumes, even if it runs. A missing container is no error. Throws
 * EngineFault, also if that takes longer than `patience` ms.
 */
export async function removeContainer(
  engine: DockerEngine,
  container: string,
  patience?: number,
): Promise<void> {
  const call = { method: "DELETE", path: `/containers/${container}`, query: { v: "1", force: "1" } } as const;
  try {
    await engine.send(patience === undefined ? call : { ...call, patience });
  } catch (error) {
    // 409: it is already being removed.
    if (!(error instanceof EngineFault) || ![404, 409].includes(error.status ?? 0)) throw error;
  }
}

const VOLUMES = z.object({
  Volumes: z
    .array(z.object({ Name: z.string(), Labels: z.record(z.string(), z.string()).nullish() }))
    .nullish(),
});

/** The volumes of a deployment. The first container of an endpoint creates the endpoint's volume. */
export function endpointVolumes(engine: DockerEngine, deployment: string) {
  return {
    /** Ids of the endpoints that have a volume. Throws EngineFault. */
    async endpoints(): Promise<string[]> {
      const query = labelled({ [LABELS.deployment]: deployment });
      const call = { method: "GET", path: "/volumes", query, patience: LIST_PATIENCE } as const;
      const { Volumes } = await engine.call(call, VOLUMES);
      return (Volumes ?? []).flatMap(({ Labels }) => Labels?.[LABELS.endpoint] ?? []);
    },

    /** Removes a volume, unless a container still uses it. Throws EngineFault. */
    async remove(endpoint: string): Promise<void> {
      try {
        await engine.send({ method: "DELETE", path: `/volumes/${volumeName(deployment, endpoint)}` });
      } catch (error) {
        if (!(error instanceof EngineFault) || ![404, 409].includes(error.status ?? 0)) throw error;
      }
    },
  };
}

/** The name of the volume of an endpoint. */
export function volumeName(deployment: string, endpoint: string): string {
  return `forebay-${deployment}-${endpoint}`;
}
