import {
  type HostGpu,
  type HostGpuOutOfUse,
  type HostNow,
  hostOf,
  isConfiguredHost,
} from "../domain/host.ts";
import type { HostGpuView, HostView, HostWorker } from "../domain/host-view.ts";
import type { WorkerToken } from "../domain/worker.ts";
import type { AllocatedDevice } from "../store/allocations.ts";
import type { WithWorkerStarts } from "./launch.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import { hostNotFound } from "./records/needed-record.ts";
import type { StoreAccess, WithServer } from "./verb-needs.ts";

/** What reading the hosts needs. */
export interface HostSight extends StoreAccess, WithConfiguration, WithWorkerStarts, WithServer {}

/**
 * The hosts as this server sees them, in the order of their names. With several servers, `local` and `docker`
 * are those of this server.
 */
export async function hostsOf(engine: HostSight): Promise<HostView[]> {
  const hosts = engine.starts.hosts();
  const ledger = await engine.store.allocations();
  const started = engine.configuration.all("worker").filter(({ managed }) => managed);
  return hosts
    .map((host) => viewOf({ engine, started, ledger }, host))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The host of this name. Throws HOST_NOT_FOUND. */
export async function hostNamed(engine: HostSight, name: string): Promise<HostView> {
  const found = (await hostsOf(engine)).find((host) => host.name === name);
  if (found === undefined) throw hostNotFound(name);
  return found;
}

/** What the views of all hosts are made of. */
interface Known {
  readonly engine: HostSight;
  readonly started: readonly WorkerToken[];
  readonly ledger: readonly AllocatedDevice[];
}

function viewOf(known: Known, { gpus, gpusOutOfUse, ...host }: HostNow): HostView {
  const views = [
    ...gpus.map((gpu) => listedGpu(known, gpu)),
    ...gpusOutOfUse.map((gpu) => failedGpu(known, gpu)),
  ];
  return {
    ...host,
    isConfigured: isConfiguredHost(host.name),
    gpus: views.sort((a, b) => (a.index ?? Infinity) - (b.index ?? Infinity)),
    workers: workersOn(known, host.name),
  };
}

function listedGpu(known: Known, gpu: HostGpu): HostGpuView {
  const { uuid, index, name, memoryMb, utilization, memoryUsedMb } = gpu;
  const worker = known.ledger.find(({ device }) => device === uuid)?.worker;
  const shown = { uuid, index, name, memoryMb, utilization, memoryUsedMb, reason: undefined };
  return { ...shown, state: worker === undefined ? "FREE" : "ALLOCATED", worker: holder(known, worker) };
}

function failedGpu(known: Known, { uuid, index, reason }: HostGpuOutOfUse): HostGpuView {
  const row = known.ledger.find(({ card }) => card === uuid);
  const shown = { uuid, index, name: undefined, memoryMb: undefined, reason };
  return { ...shown, state: "OUT_OF_USE", worker: holder(known, row?.worker) };
}

function holder({ engine }: Known, worker: string | undefined): HostGpuView["worker"] {
  const token = worker === undefined ? undefined : engine.configuration.get("worker", worker);
  return token && { id: token.id, endpoint: token.endpoint };
}

function workersOn({ engine, started, ledger }: Known, host: string): HostWorker[] {
  const isOthers = ({ server }: WorkerToken): boolean => {
    return isConfiguredHost(host) && engine.store.shared !== undefined && server !== engine.server;
  };
  return started
    .filter((token) => hostOf(token) === host && !isOthers(token))
    .map(({ id, endpoint, startedAt }) => {
      const devices = ledger.filter(({ worker }) => worker === id);
      return { id, endpoint, startedAt, gpus: devices.map(({ device }) => device).sort() };
    })
    .sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || (a.id < b.id ? -1 : 1));
}
