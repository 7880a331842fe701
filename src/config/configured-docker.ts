import { type Config, IN_MEMORY } from "./config.ts";
import type { Clock } from "../domain/clock.ts";
import { CONFIGURED_HOSTS, type HostCertificates, type HostRecord } from "../domain/host.ts";
import type { Log } from "../domain/log.ts";
import type { WorkerAmounts } from "../domain/worker.ts";
import { type DockerEngine, dockerEngine } from "../fleet/docker/docker-engine.ts";
import { dockerProvider } from "../fleet/docker/docker-provider.ts";
import { isOnThisMachine } from "../fleet/docker/engine-address.ts";
import { EngineAmounts } from "../fleet/docker/engine-amounts.ts";
import { type ReachedEngine, reachEngine, reachWith } from "../fleet/docker/reach-engine.ts";
import { freeMb } from "../fleet/free-space.ts";
import { declaredGpus, declaredInventory } from "../fleet/gpu/declared-gpus.ts";
import type { GpuInventory } from "../fleet/gpu/gpu-inventory.ts";
import { NvidiaGpus } from "../fleet/gpu/nvidia-gpus.ts";
import { ownNvidiaSmi } from "../fleet/gpu/run-nvidia-smi.ts";
import { WatchedGpus } from "../fleet/gpu/watched-gpus.ts";
import { type Host, localHost, lookAt } from "../fleet/hosts.ts";
import { gpusOfEngine } from "./gpus-of-engine.ts";
import { type LimitedProcesses, limitProcesses, type ProcessLimits } from "../fleet/process/worker-cgroup.ts";
import type { Provider } from "../fleet/provider.ts";
import type { WorkerOutput } from "../fleet/worker-output.ts";

export interface DockerParts {
  readonly config: Config;
  /** Undefined: no engine is configured. */
  readonly docker: ReachedEngine | undefined;
  /** Names of the deployment and of this server, for the labels of containers. */
  readonly deployment: string;
  readonly server: string;
  readonly output: WorkerOutput;
  readonly clock: Clock;
  readonly log: Log;
}

const MB = 1_048_576;

/** What one process worker may use. */
export function processLimits({ processMemory, processCpus, processPids }: Config): ProcessLimits {
  return { memoryMb: processMemory, cpus: processCpus, pids: processPids };
}

/** The limits of process workers, in force from now on; undefined if none are set. Throws OperatorFault. */
export async function limitedProcesses(config: Config): Promise<LimitedProcesses | undefined> {
  return limitProcesses(processLimits(config));
}

/**
 * Starts what is needed to reach the configured Docker Engine; undefined if none is configured. Throws
 * OperatorFault, and the system error if its certificates cannot be read.
 */
export async function reachDocker(config: Config, clock: Clock): Promise<ReachedEngine | undefined> {
  return config.dockerHost === "" ? undefined : reachEngine(config, clock);
}

/** What a server needs to run workers on its hosts. */
export interface ConfiguredHosts {
  /** This machine and, if one is configured, the Docker Engine. What they have is being read. */
  readonly hosts: readonly Host[];
  /** Opens a host that has a record. */
  readonly open: (record: HostRecord, certificates: HostCertificates | undefined) => Host;
}

/** The hosts of this server. Waits until the configured engine can be called. */
export async function configuredHosts(processes: Provider, parts: DockerParts): Promise<ConfiguredHosts> {
  const { config, docker, clock, log } = parts;
  // Otherwise the first calls would fail.
  await docker?.ready;
  const nvidia = new NvidiaGpus(ownNvidiaSmi(clock));
  const own = new WatchedGpus({ read: () => nvidia.read(), host: CONFIGURED_HOSTS.process, log });
  const tellPublicUrl = warningOfPublicUrl(config, log);
  let diskFreeMb: number | undefined;
  async function look(): Promise<void> {
    diskFreeMb = await freeMb(config.data);
    await own.look();
  }
  const machine = { gpus: () => own.inventory, diskFreeMb: () => diskFreeMb, look };
  const hosts = [localHost(processes, machine)];
  if (docker !== undefined) {
    const named = { name: CONFIGURED_HOSTS.docker, shown: config.dockerHost, reached: docker, own };
    hosts.push(engineHost(parts, { ...named, gpus: declaredGpus(config.dockerGpus) }));
    tellPublicUrl();
  }
  for (const host of hosts) lookAt(host, log);

  function open(record: HostRecord, certificates: HostCertificates | undefined): Host {
    const { id: name, address: shown = "" } = record;
    const reached = reachWith(shown, certificates, config.dockerSshConfig, clock);
    const gpus = record.gpus === undefined ? undefined : declaredInventory(record.gpus);
    const host = engineHost(parts, { name, shown, reached, own, gpus });
    lookAt(host, log);
    tellPublicUrl();
    return { ...host, close: () => reached.close() };
  }

  return { hosts, open };
}

interface NamedEngine {
  readonly name: string;
  /** Its address, as the operator says it. */
  readonly shown: string;
  readonly reached: ReachedEngine;
  /** The GPUs of this machine. */
  readonly own: WatchedGpus;
  /** What the operator declares; undefined: it is read. */
  readonly gpus: GpuInventory | undefined;
}

function engineHost(parts: DockerParts, named: NamedEngine): Host {
  const { config, clock, log, deployment, server } = parts;
  const { name, shown, reached, own, gpus: declared } = named;
  const engine = dockerEngine(reached.address, clock);
  const isHere = isOnThisMachine(reached.address);
  const machine = new EngineAmounts(engine, isHere);
  const owner = `${deployment}/${server}`;
  const probeImage = config.dockerGpuProbe;
  const gpus = gpusOfEngine({ name, engine, isHere, own, declared, probeImage, owner, clock, log });
  return {
    name,
    provider: engineProvider(parts, engine),
    address: shown,
    amounts: () => machine.amounts,
    diskFreeMb: () => machine.diskFreeMb,
    gpus: gpus.inventory,
    taken: (cores) => takenByContainer(config, cores),
    look: async () => void (await Promise.all([machine.look(), gpus.look()])),
    close: async () => undefined,
  };
}

/** The default limit of memory is most of the machine, so it is not counted. */
function takenByContainer({ dockerCpus, dockerMemory }: Config, cores: number | undefined): WorkerAmounts {
  return {
    cores: cores === undefined || dockerCpus === 0 ? cores : Math.min(cores, dockerCpus),
    memoryMb: dockerMemory === 0 ? undefined : dockerMemory,
  };
}

/** Warns at its first call if containers cannot reach the server, and never again. */
function warningOfPublicUrl({ publicUrl, dockerNetwork }: Config, log: Log): () => void {
  let isOver = publicUrl !== "" || dockerNetwork === "host";
  return () => {
    if (isOver) return;
    isOver = true;
    log.warn("containers need the public URL of the server, and it is not set", {
      set: "FOREBAY_PUBLIC_URL, for example http://host.docker.internal:8000",
    });
  };
}

function engineProvider(parts: DockerParts, engine: DockerEngine): Provider {
  const { config } = parts;
  const [first = 0, last = 0] = config.dockerPublishPorts.split("-").map(Number);
  return dockerProvider({
    ...parts,
    engine,
    outlivesServer: config.data !== IN_MEMORY || config.databaseUrl !== "",
    randomBelow: (limit) => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % limit,
    settings: {
      network: config.dockerNetwork,
      user: config.dockerUser,
      memory: config.dockerMemory * MB,
      cpus: config.dockerCpus,
      pids: config.dockerPids,
      capabilities: config.dockerCapabilities.split(",").filter((name) => name !== ""),
      publishAddress: config.dockerPublishAddress,
      publishPorts: { first, last },
    },
  });
}
