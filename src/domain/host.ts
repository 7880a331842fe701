import type { WorkerAmounts, WorkerPlace, WorkerToken } from "./worker.ts";

/** A GPU of which the operator says that a host has it. */
export interface DeclaredGpu {
  readonly uuid: string;
  /** The driver's name of the model, such as `NVIDIA L40S`. */
  readonly name: string;
  /** MiB. */
  readonly memoryMb?: number | undefined;
}

/**
 * A host as it is stored: an engine where workers can run. The two configured hosts are always there. They
 * have a record only after the first change of them, and of it only `isDraining` and `labels` count.
 */
export interface HostRecord {
  /** The name, which never changes. The records of workers and the ledger of GPUs name the host by it. */
  readonly id: string;
  /** As that of `FOREBAY_DOCKER_HOST`, such as `tcp://host:2376`; undefined for a configured host. */
  readonly address: string | undefined;
  /** Endpoints choose hosts by them (`hostLabel`). Each is there once. */
  readonly labels: readonly string[];
  /** It gets no new workers, and its workers end when they have no job. */
  readonly isDraining: boolean;
  /** The certificates of the connection: encrypted JSON of HostCertificates, as base64; undefined: none. */
  readonly sealed?: string | undefined;
  /** What the operator declares; undefined: what the engine says. */
  readonly gpus?: readonly DeclaredGpu[] | undefined;
}

/** The certificates and the key of a connection with TLS, in PEM. */
export interface HostCertificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** The hosts that exist without a record. */
export const CONFIGURED_HOSTS = {
  /** The processes of the machine of each server. */
  process: "local",
  /** The engine of `FOREBAY_DOCKER_HOST`. It exists only if that is set. */
  docker: "docker",
} as const;

/** Whether the host exists without a record. No other host can have such a name. */
export function isConfiguredHost(name: string): boolean {
  return name === CONFIGURED_HOSTS.process || name === CONFIGURED_HOSTS.docker;
}

/** What a server knows of a host now. */
export interface HostNow {
  readonly name: string;
  readonly kind: "process" | "docker";
  /** Undefined for processes. */
  readonly address: string | undefined;
  readonly labels: readonly string[];
  readonly isDraining: boolean;
  /** Why it cannot be reached, as a clause; undefined if it can. */
  readonly away: string | undefined;
  /** What all its workers can have together. What is undefined is not known, and not checked. */
  readonly amounts: WorkerAmounts;
  /** MiB that are free where its workers write; undefined if this server cannot see it. */
  readonly diskFreeMb: number | undefined;
  readonly gpus: readonly HostGpu[];
  /** Cards that no worker may get, each with the reason: a sentence. */
  readonly gpusOutOfUse: readonly HostGpuOutOfUse[];
  /** Why its GPUs are not known, in a sentence; undefined if they are, or if it has none. */
  readonly gpuFault: string | undefined;
}

/** A device of a host: a card, or a MIG slice of one. */
export interface HostGpu {
  readonly uuid: string;
  /** The UUID of its card. */
  readonly card: string;
  readonly index: number;
  readonly name: string;
  /** MiB. */
  readonly memoryMb: number | undefined;
  readonly kind: "card" | "slice";
  /** The share of the time in which a program ran on it, 0 to 1; undefined if the driver does not tell. */
  readonly utilization?: number | undefined;
  /** MiB; undefined if the driver does not tell. */
  readonly memoryUsedMb?: number | undefined;
}

export interface HostGpuOutOfUse {
  readonly uuid: string | undefined;
  readonly index: number | undefined;
  readonly reason: string;
}

/**
 * The name of the host of a worker; undefined if Forebay did not start the worker. Records of earlier
 * versions name only the provider, and those of the first versions not even that.
 */
export function hostOf({ managed, host, provider }: WorkerToken): string | undefined {
  if (!managed) return undefined;
  return host ?? (provider === "docker" ? CONFIGURED_HOSTS.docker : CONFIGURED_HOSTS.process);
}

/** Where the worker runs, and its GPUs; undefined if Forebay did not start it. */
export function placeOf(token: WorkerToken): WorkerPlace | undefined {
  const host = hostOf(token);
  return host === undefined ? undefined : { host, gpus: token.gpus ?? [] };
}
