import { CONFIGURED_HOSTS } from "../domain/host.ts";
import type { Log } from "../domain/log.ts";
import { commandNameOf } from "../domain/template.ts";
import type { WorkerAmounts } from "../domain/worker.ts";
import { type GpuInventory, NO_GPUS } from "./gpu/gpu-inventory.ts";
import type { Provider } from "./provider.ts";

/** A place where workers run, and what starts them there. */
export interface Host {
  /** Unique in the deployment. The records of workers and the ledger of GPUs name the host by it. */
  readonly name: string;
  readonly provider: Provider;
  /** Where its engine listens; undefined for processes. */
  readonly address: string | undefined;
  /** What all its workers may have together. */
  readonly amounts: () => WorkerAmounts;
  /** MiB that are free where its workers write, as it was read last; undefined if nobody knows. */
  readonly diskFreeMb: () => number | undefined;
  /** Its GPUs as they were read last. */
  readonly gpus: () => GpuInventory;
  /** What one worker takes of the amounts, if its endpoint limits it to so many cores. */
  readonly taken: (cores: number | undefined) => WorkerAmounts;
  /** Reads amounts, disk and GPUs again, once at a time. Takes a minute at most. */
  look(): Promise<void>;
  /** Ends what was started to reach it. */
  close(): Promise<void>;
}

/** The hosts on which this server starts workers. */
export interface Hosts {
  /** Those that there are now: the configured ones, then the others by name. */
  all(): readonly Host[];
  /** Calls `removed` after a host was deleted: this server can no longer reach its workers. */
  onRemoved(removed: (host: Host) => void): void;
}

/** Where workers with this image can run: registered commands as processes, other images on engines. */
export function hostsFor(hosts: Hosts, imageName: string): Host[] {
  const kind = commandNameOf(imageName) === undefined ? "docker" : "process";
  return hosts.all().filter(({ provider }) => provider.name === kind);
}

/** What is known of a host besides its provider. */
type Machine = Pick<Host, "amounts" | "diskFreeMb" | "gpus" | "taken" | "look">;

/** The host of this machine's processes. */
export function localHost(provider: Provider, machine: Partial<Machine> = {}): Host {
  return {
    name: CONFIGURED_HOSTS.process,
    provider,
    address: undefined,
    amounts: () => ({}),
    diskFreeMb: () => undefined,
    gpus: () => NO_GPUS,
    taken: () => ({}),
    look: async () => undefined,
    close: async () => undefined,
    ...machine,
  };
}

/** Reads again what the host has, without waiting for it. */
export function lookAt(host: Host, log: Log): void {
  host.look().catch((error: unknown) => {
    log.error("what a host has cannot be read", { host: host.name, error: String(error) });
  });
}

/** Hosts that are always there. */
export function fixedHosts(...hosts: readonly Host[]): Hosts {
  return { all: () => hosts, onRemoved: () => undefined };
}
