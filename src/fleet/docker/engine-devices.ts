import { z } from "zod";
import type { DockerEngine } from "./docker-engine.ts";

/** How an engine gives GPUs to containers. */
export interface EngineDevices {
  /** The names of NVIDIA devices in its CDI files, such as `GPU-…`, `MIG-…`, `0` and `all`. */
  readonly cdi: ReadonlySet<string>;
  /** The version of podman; undefined if it is Docker. */
  readonly podman: string | undefined;
}

const VERSION = z.object({
  Components: z.array(z.object({ Name: z.string(), Version: z.string() })).nullish(),
});

const INFO = z.object({
  DiscoveredDevices: z.array(z.object({ Source: z.string(), ID: z.string() })).nullish(),
});

/** Docker 28.2 and later list their CDI devices, from this version of the API on. */
const LISTS_DEVICES = 50;

const NVIDIA = "nvidia.com/gpu=";

/** Throws EngineFault. */
export async function engineDevices(engine: DockerEngine): Promise<EngineDevices> {
  const { Components } = await engine.call({ method: "GET", path: "/version" }, VERSION);
  const call = { method: "GET", path: "/info", newest: LISTS_DEVICES } as const;
  const { DiscoveredDevices } = await engine.call(call, INFO);
  const listed = (DiscoveredDevices ?? []).filter(({ Source }) => Source === "cdi").map(({ ID }) => ID);
  const names = listed.filter((id) => id.startsWith(NVIDIA)).map((id) => id.slice(NVIDIA.length));
  const podman = Components?.find(({ Name }) => /podman/i.test(Name))?.Version;
  return { cdi: new Set(names), podman };
}

/** The first version of podman that reads the device requests of the Docker API. Earlier ones ignore them. */
const PODMAN = [5, 4] as const;

/** Why the engine cannot give GPUs to containers, as a clause; undefined if it can. */
export function gpuRefusal({ podman }: EngineDevices): string | undefined {
  if (podman === undefined) return undefined;
  const [major = 0, minor = 0] = podman.split(".").map(Number);
  const isNewer = major > PODMAN[0] || (major === PODMAN[0] && minor >= PODMAN[1]);
  return isNewer
    ? undefined
    : `podman ${podman} does not support GPUs in containers; upgrade to ${PODMAN.join(".")}`;
}

/**
 * The request for these devices, by UUID. Never a count: for a count, an engine chooses the same ones again
 * and again. podman knows devices by CDI alone.
 */
export function deviceRequest(uuids: readonly string[], { cdi, podman }: EngineDevices): object {
  const isByCdi = podman !== undefined || uuids.every((uuid) => cdi.has(uuid));
  if (isByCdi) return { Driver: "cdi", DeviceIDs: uuids.map((uuid) => `${NVIDIA}${uuid}`) };
  return { Driver: "nvidia", DeviceIDs: uuids, Capabilities: [["gpu"]] };
}

/** The request for all devices of the engine, for a program that lists them. Workers never get it. */
export function allDevicesRequest({ cdi, podman }: EngineDevices): object {
  if (podman !== undefined || cdi.has("all")) return { Driver: "cdi", DeviceIDs: [`${NVIDIA}all`] };
  return { Driver: "nvidia", Count: -1, Capabilities: [["gpu", "utility"]] };
}
