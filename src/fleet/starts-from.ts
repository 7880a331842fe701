import type { ReleaseMembers } from "../domain/release.ts";
import { commandNameOf } from "../domain/template.ts";
import type { Provider } from "./provider.ts";

/** What a provider starts a worker from. Templates with the same result start the same worker. */
export interface StartSource {
  readonly env: ReleaseMembers["env"];
  readonly [member: string]: unknown;
}

/** What of the server's settings matters. */
export interface StartSettings {
  /** Whether processes have limits. Without, they are not limited to the cores of their endpoint either. */
  readonly limitsProcesses: boolean;
}

type StartsFrom = (members: ReleaseMembers, settings: StartSettings) => StartSource;

/**
 * The one definition, for each provider, of what its workers are started from. Other changes begin no
 * release. A test compares it with the process and the container that are started.
 */
const STARTS_FROM: Readonly<Record<Provider["name"], StartsFrom>> = {
  process: ({ imageName, dockerStartCmd, env, gpus, cores, hostLabel }, { limitsProcesses }) => {
    const started = { imageName, dockerStartCmd, env, gpus, hostLabel };
    return limitsProcesses ? { ...started, cores } : started;
  },

  docker: (members) => ({
    imageName: members.imageName,
    // The login with which the image is pulled.
    containerRegistryAuthId: members.containerRegistryAuthId,
    dockerEntrypoint: members.dockerEntrypoint,
    dockerStartCmd: members.dockerStartCmd,
    env: members.env,
    ports: portsOf(members.ports),
    disk: members.containerDiskInGb,
    // Docker does not limit the size of a volume.
    volume: members.volumeInGb > 0 ? members.volumeMountPath : "",
    gpus: members.gpus,
    cores: members.cores,
    shmSizeInMb: members.shmSizeInMb,
    hostLabel: members.hostLabel,
  }),
};

/** What a worker with this image is started from: registered commands are processes. */
export function startsFrom(members: ReleaseMembers, settings: StartSettings): StartSource {
  const provider = commandNameOf(members.imageName) === undefined ? "docker" : "process";
  return STARTS_FROM[provider](members, settings);
}

/** The ports of a container that are published, each once: `80/http` and `80/tcp` are the same. */
export function portsOf(ports: readonly string[]): number[] {
  return [...new Set(ports.map((port) => Number.parseInt(port, 10)))];
}
