import type { WorkerOrder } from "../provider.ts";
import { LABELS, volumeName } from "./deployment-objects.ts";
import type { ReadyImage } from "./ready-image.ts";

/** What the operator says of the containers that run workers. */
export interface DockerSettings {
  /** The network of all workers, `host` and `none` too; empty: that of the engine. */
  readonly network: string;
  /** User, or user and group, of all workers; empty: as the image says. */
  readonly user: string;
  /** What a worker may use at most, bytes; 0: nine tenths of the memory of the engine's machine. */
  readonly memory: number;
  /** Cores that a worker may use at most; 0: all. */
  readonly cpus: number;
  /** Processes and threads that a worker may have at most. */
  readonly pids: number;
  /** Linux capabilities that workers keep, without `CAP_`; all others are dropped. */
  readonly capabilities: readonly string[];
  /** The address of the engine's machine where ports of workers are published, and are reached. */
  readonly publishAddress: string;
  /** First and last port that may be published. */
  readonly publishPorts: { readonly first: number; readonly last: number };
}

interface ContainerOptions {
  readonly settings: DockerSettings;
  readonly deployment: string;
  readonly server: string;
  /** Bytes. */
  readonly memory: number;
  /** The engine can limit the disk of a container. */
  readonly limitsDisks: boolean;
  /** Under which port of the engine's machine each port of the template is published. */
  readonly ports: ReadonlyMap<number, number>;
}

/** Older lines of what a worker prints go, so that it does not fill the disk of the engine. */
const LOGS = { Type: "json-file", Config: { "max-size": "10m", "max-file": "3" } };

/**
 * All that the engine is told of a worker's container. Only what stands here comes from a template: image,
 * environment, entrypoint, command, ports, and the place and size of its disks; and from an endpoint GPUs and
 * cores.
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
    },
    // The contract says SIGTERM, whatever the image says.
    StopSignal: "SIGTERM",
    ExposedPorts: Object.fromEntries([...ports.keys()].map((port) => [`${port}/tcp`, {}])),
    HostConfig: hostConfigOf(order, options),
  };
}

/**
 * What is left out is as the image says. An entrypoint alone would take the image's command away, so that is
 * passed on.
 */
function programOf({ template }: WorkerOrder, { command }: ReadyImage): object {
  const { dockerEntrypoint, dockerStartCmd } = template;
  if (dockerEntrypoint.length === 0) return dockerStartCmd.length === 0 ? {} : { Cmd: dockerStartCmd };
  const passedOn = dockerStartCmd.length === 0 ? command : dockerStartCmd;
  return { Entrypoint: dockerEntrypoint, ...(passedOn.length === 0 ? {} : { Cmd: passedOn }) };
}

/** Later ones win: the template's, the server's. */
function environmentOf(
  { template, environment }: WorkerOrder,
  { settings, ports }: ContainerOptions,
): Record<string, string> {
  const published = [...ports].map(([inside, outside]) => [`RUNPOD_TCP_PORT_${inside}`, String(outside)]);
  return {
    ...template.env,
    ...(published.length === 0 ? {} : { RUNPOD_PUBLIC_IP: settings.publishAddress }),
    ...Object.fromEntries(published),
    ...environment,
  };
}

function hostConfigOf(order: WorkerOrder, options: ContainerOptions): object {
  const { template, gpus, cores } = order;
  const { settings, memory, limitsDisks, ports } = options;
  const { network, pids, capabilities, publishAddress } = settings;
  const cpus = settings.cpus === 0 ? cores : Math.min(settings.cpus, cores ?? Infinity);
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
    // The same, so that there is no swap beside it.
    MemorySwap: memory,
    ...(cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
    LogConfig: LOGS,
    RestartPolicy: { Name: "no" },
    ...(limitsDisks && template.containerDiskInGb > 0
      ? { StorageOpt: { size: `${template.containerDiskInGb}G` } }
      : {}),
    ...(template.volumeInGb > 0 ? { Mounts: [volumeOf(order, options)] } : {}),
    ...(gpus === undefined ? {} : { DeviceRequests: [{ Count: gpus.count, Capabilities: [["gpu"]] }] }),
  };
}

/** These have no network, or no name server, of their own. */
export function isShared(network: string): boolean {
  return network === "host" || network === "none" || network.startsWith("container:");
}

/** One for an endpoint on an engine. Nothing of the image is copied into it: that would outlive the image. */
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
