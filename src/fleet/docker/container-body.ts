import type { WorkerOrder } from "../provider.ts";
import { coresAtMost, machineVariables } from "../worker-machine.ts";
import { containerName, devicesLabel, LABELS, volumeName } from "./deployment-objects.ts";
import type { ReadyImage } from "./ready-image.ts";

/** The operator's settings for the containers of workers. */
export interface DockerSettings {
  /** The network of all workers, also `host` or `none`; empty: the engine's default. */
  readonly network: string;
  /** User, or user and group, of all workers; empty: that of the image. */
  readonly user: string;
  /** The memory limit of a worker, bytes; 0: nine tenths of the host's memory. */
  readonly memory: number;
  /** How many cores a worker may use; 0: all. */
  readonly cpus: number;
  /** How many processes and threads a worker may have. */
  readonly pids: number;
  /** Linux capabilities that workers keep, without `CAP_`; all others are dropped. */
  readonly capabilities: readonly string[];
  /** The host's address at which ports of workers are published. */
  readonly publishAddress: string;
  /** The first and last host port that may be published. */
  readonly publishPorts: { readonly first: number; readonly last: number };
}

/** What the container of any worker gets. */
export interface ContainerOptions {
  readonly settings: DockerSettings;
  readonly deployment: string;
  readonly server: string;
  /** The most memory of the container, bytes. */
  readonly memory: number;
  /** How many the machine has. */
  readonly cores: number;
  /** Whether the engine can limit the disk of a container. */
  readonly limitsDisks: boolean;
  /** Whether the engine can let a container with GPUs lock all its memory. */
  readonly locksMemory: boolean;
  /** The host port for each port of the template. */
  readonly ports: ReadonlyMap<number, number>;
  /** What asks the engine for the GPUs of the worker; undefined: it has none. */
  readonly devices: object | undefined;
}

const MB = 1_048_576;

/** Memory that a GPU reads directly is locked; the memory of the container limits it anyway. */
const MEMLOCK = { Name: "memlock", Soft: -1, Hard: -1 };

/** Old output of a worker is deleted, so that it cannot fill the disk of the engine. */
const LOGS = { Type: "json-file", Config: { "max-size": "10m", "max-file": "3" } };

/**
 * The request that creates a worker's container. From a template come only image, environment, entrypoint,
 * command, ports, and the path and size of disks. From an endpoint come only GPUs, cores and the size of the
 * shared memory.
 */
export function containerBody(order: WorkerOrder, image: ReadyImage, options: ContainerOptions): object {
  const { template, worker, endpoint } = order;
  const { settings, deployment, server, ports } = options;
  return {
    Image: image.id,
    ...programOf(order, image),
    Env: Object.entries(environmentOf(order, options)).map(([name, value]) => `${name}=${value}`),
    ...(settings.user === "" ? {} : { User: settings.user }),
    Labels: {
      [LABELS.deployment]: deployment,
      [LABELS.server]: server,
      [LABELS.endpoint]: endpoint,
      [LABELS.worker]: worker,
      [LABELS.image]: template.imageName,
      ...(image.digest === undefined ? {} : { [LABELS.digest]: image.digest }),
      ...(order.gpus === undefined ? {} : { [LABELS.devices]: devicesLabel(order.gpus) }),
    },
    // Workers get SIGTERM, even if the image names another signal.
    StopSignal: "SIGTERM",
    ExposedPorts: Object.fromEntries([...ports.keys()].map((port) => [`${port}/tcp`, {}])),
    HostConfig: hostConfigOf(order, options),
  };
}

/**
 * Without these members the image decides. An entrypoint alone would drop the image's command, so that is
 * sent too.
 */
function programOf({ template }: WorkerOrder, { command }: ReadyImage): object {
  const { dockerEntrypoint, dockerStartCmd } = template;
  if (dockerEntrypoint.length === 0) return dockerStartCmd.length === 0 ? {} : { Cmd: dockerStartCmd };
  const passedOn = dockerStartCmd.length === 0 ? command : dockerStartCmd;
  return { Entrypoint: dockerEntrypoint, ...(passedOn.length === 0 ? {} : { Cmd: passedOn }) };
}

/** The server's variables override those of the template. */
function environmentOf(
  { worker, template, environment, cores }: WorkerOrder,
  { settings, ports, memory, cores: all }: ContainerOptions,
): Record<string, string> {
  const published = [...ports].map(([inside, outside]) => [`RUNPOD_TCP_PORT_${inside}`, String(outside)]);
  return {
    ...template.env,
    ...(published.length === 0 ? {} : { RUNPOD_PUBLIC_IP: settings.publishAddress }),
    ...Object.fromEntries(published),
    ...machineVariables({
      hostname: containerName(worker),
      cores: Math.min(coresAtMost(settings.cpus, cores) ?? all, all),
      memory,
    }),
    ...environment,
  };
}

function hostConfigOf(order: WorkerOrder, options: ContainerOptions): object {
  const { template, cores } = order;
  const { settings, memory, limitsDisks, locksMemory, ports, devices } = options;
  const { network, pids, capabilities, publishAddress } = settings;
  const cpus = coresAtMost(settings.cpus, cores);
  return {
    ...(network === "" ? {} : { NetworkMode: network }),
    ...(isShared(network) ? {} : { ExtraHosts: ["host.docker.internal:host-gateway"] }),
    PortBindings: Object.fromEntries(
      [...ports].map(([inside, outside]) => [
        `${inside}/tcp`,
        [{ HostIp: publishAddress, HostPort: String(outside) }],
      ]),
    ),
    CapDrop: ["ALL"],
    ...(capabilities.length === 0 ? {} : { CapAdd: capabilities }),
    SecurityOpt: ["no-new-privileges"],
    PidsLimit: pids,
    Memory: memory,
    // The same value, so that the container has no swap.
    MemorySwap: memory,
    ...(cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
    LogConfig: LOGS,
    RestartPolicy: { Name: "no" },
    ...(limitsDisks && template.containerDiskInGb > 0
      ? { StorageOpt: { size: `${template.containerDiskInGb}G` } }
      : {}),
    ...(template.volumeInGb > 0 ? { Mounts: [volumeOf(order, options)] } : {}),
    ...sharedMemoryOf(order, memory),
    ...(devices === undefined ? {} : { DeviceRequests: [devices] }),
    ...(devices !== undefined && locksMemory ? { Ulimits: [MEMLOCK] } : {}),
  };
}

/**
 * Programs on GPUs share data between their processes, and the engine's 64 MB are too little for them. It is
 * part of the container's memory.
 */
function sharedMemoryOf({ gpus, shmSizeInMb }: WorkerOrder, memory: number): object {
  if (shmSizeInMb !== undefined) return { ShmSize: shmSizeInMb * MB };
  return gpus === undefined ? {} : { ShmSize: Math.floor(memory / 2) };
}

/** These have no network or name server of their own. */
export function isShared(network: string): boolean {
  return network === "host" || network === "none" || network.startsWith("container:");
}

/**
 * One volume for each endpoint on an engine. Nothing of the image is copied into it, because it would outlive
 * the image.
 */
function volumeOf({ template, endpoint }: WorkerOrder, { deployment }: ContainerOptions): object {
  return {
    Type: "volume",
    Source: volumeName(deployment, endpoint),
    Target: template.volumeMountPath,
    VolumeOptions: {
      NoCopy: true,
      Labels: { [LABELS.deployment]: deployment, [LABELS.endpoint]: endpoint },
    },
  };
}
