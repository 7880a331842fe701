import type { WorkerGpu } from "../provider.ts";

/** What programs may want to know of their GPUs: how many, and of which model. */
export function gpuVariables(gpus: readonly WorkerGpu[]): Record<string, string> {
  const [first] = gpus;
  if (first === undefined) return {};
  return { RUNPOD_GPU_COUNT: String(gpus.length), RUNPOD_GPU_NAME: first.name };
}

/** By this, the programs of a process worker choose among the GPUs of the machine. */
const VISIBLE = "CUDA_VISIBLE_DEVICES";

/**
 * The variables that give a process its GPUs. A process can still use others, if it removes them. Without
 * GPUs, there are none: a registered command sees the machine as the operator does.
 */
export function processGpuVariables(gpus: readonly WorkerGpu[] = []): Record<string, string> {
  if (gpus.length === 0) return {};
  return { [VISIBLE]: gpus.map(({ uuid }) => uuid).join(","), CUDA_DEVICE_ORDER: "PCI_BUS_ID" };
}

/** Why a process cannot have these variables, in one sentence; undefined if it can. */
export function processGpuRefusal(env: Readonly<Record<string, string>>): string | undefined {
  return VISIBLE in env ? `env: Forebay sets ${VISIBLE} from gpuCount. Leave it out.` : undefined;
}

/** By this, the NVIDIA runtime of an engine chooses the GPUs of a container. */
const CONTAINER_VISIBLE = "NVIDIA_VISIBLE_DEVICES";

/** Why a container cannot have these variables, in one sentence; undefined if it can. */
export function containerGpuRefusal(env: Readonly<Record<string, string>>): string | undefined {
  if (!(CONTAINER_VISIBLE in env)) return undefined;
  return `env: ${CONTAINER_VISIBLE} would select GPUs of other workers. Set gpuCount instead.`;
}
