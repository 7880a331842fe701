import type { DeclaredGpu } from "../../domain/host.ts";
import { type GpuDevice, type GpuInventory, NO_GPUS } from "./gpu-inventory.ts";

/** A GPU that the operator names: UUID, model, and memory in MiB, such as `GPU-5c89=NVIDIA L40S:46068`. */
const DECLARED = /^((?:GPU|MIG)-[\w/-]+)=([^=:]*[^=: ])(?::(\d{1,9}))?$/;

/** What the operator writes for a host without GPUs. */
const NONE = "none";

/**
 * The inventory that the operator declares, with commas between the GPUs; undefined if one is not understood,
 * or if a UUID is there twice.
 */
export function declaredGpus(text: string): GpuInventory | undefined {
  if (text === NONE) return NO_GPUS;
  const devices = text.split(",").map((one, index) => deviceOf(one.trim(), index));
  const known = devices.filter((device) => device !== undefined);
  const isEachOnce = new Set(known.map(({ uuid }) => uuid)).size === devices.length;
  return isEachOnce ? { devices: known, outOfUse: [], fault: undefined } : undefined;
}

/** The inventory of a host whose GPUs the operator declares one by one. */
export function declaredInventory(gpus: readonly DeclaredGpu[]): GpuInventory {
  const devices = gpus.map(({ uuid, name, memoryMb }, index) => namedDevice(uuid, index, name, memoryMb));
  return { devices, outOfUse: [], fault: undefined };
}

function deviceOf(text: string, index: number): GpuDevice | undefined {
  const [, uuid, name, memory] = DECLARED.exec(text) ?? [];
  if (uuid === undefined || name === undefined) return undefined;
  return namedDevice(uuid, index, name, memory === undefined ? undefined : Number(memory));
}

/** The model of GPUs of which only the UUID is known. */
const UNNAMED = { card: "NVIDIA GPU", slice: "NVIDIA MIG slice" } as const;

/** A GPU by its UUID. Of a slice, the card is not known: it is taken for a card of its own. */
export function namedDevice(uuid: string, index: number, name?: string, memoryMb?: number): GpuDevice {
  const kind = uuid.startsWith("MIG-") ? "slice" : "card";
  return { uuid, card: uuid, index, name: name ?? UNNAMED[kind], memoryMb, kind };
}
