import type { HostNow } from "./host.ts";

/** What can be said of a device of a host. */
export const GPU_STATES = [
  /** The next worker can have it. */
  "FREE",
  /** A worker has it. */
  "ALLOCATED",
  /** No worker gets it now. One that started before may still have it. */
  "OUT_OF_USE",
] as const;

export type GpuState = (typeof GPU_STATES)[number];

/** A host, the state of its GPUs and its workers, for people. */
export interface HostView extends Omit<HostNow, "gpus" | "gpusOutOfUse"> {
  /** Whether the settings of the server make it, so that it cannot be deleted. */
  readonly isConfigured: boolean;
  /** All of its devices, also those that are out of use. */
  readonly gpus: readonly HostGpuView[];
  /** The workers that Forebay started there, the oldest first. */
  readonly workers: readonly HostWorker[];
}

/** A device of a host. If it is out of use, the driver may know only its UUID or its index. */
export interface HostGpuView {
  readonly uuid: string | undefined;
  readonly index: number | undefined;
  readonly name: string | undefined;
  /** MiB. */
  readonly memoryMb: number | undefined;
  /** How busy it was a moment ago, as HostGpu says. */
  readonly utilization?: number | undefined;
  readonly memoryUsedMb?: number | undefined;
  readonly state: GpuState;
  /** Why it is out of use, in a sentence. */
  readonly reason: string | undefined;
  /** The worker that has it. It can be on another host that is the same machine. */
  readonly worker: { readonly id: string; readonly endpoint: string } | undefined;
}

/** A worker of a host. */
export interface HostWorker {
  readonly id: string;
  readonly endpoint: string;
  /** When Forebay requested its start; undefined for the first versions. */
  readonly startedAt: number | undefined;
  /** The UUIDs of its devices. */
  readonly gpus: readonly string[];
}
