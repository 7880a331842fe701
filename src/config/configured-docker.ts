import { type Config, IN_MEMORY } from "./config.ts";
import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { dockerEngine } from "../fleet/docker/docker-engine.ts";
import { dockerProvider } from "../fleet/docker/docker-provider.ts";
import { type EngineAddress, engineAddress } from "../fleet/docker/engine-address.ts";
import type { Provider } from "../fleet/provider.ts";
import type { WorkerOutput } from "../fleet/worker-output.ts";

export interface DockerParts {
  readonly config: Config;
  readonly address: EngineAddress | undefined;
  /** Names of the deployment and of this server, for the labels of containers. */
  readonly deployment: string;
  readonly server: string;
  readonly output: WorkerOutput;
  readonly clock: Clock;
  readonly log: Log;
}

const MB = 1_048_576;

/**
 * The address of the configured Docker Engine; undefined if none is configured. Throws OperatorFault, and the
 * system error if its certificates cannot be read.
 */
export async function dockerAddress({ dockerHost, dockerTls }: Config): Promise<EngineAddress | undefined> {
  return dockerHost === "" ? undefined : engineAddress(dockerHost, dockerTls);
}

/** The provider for the configured Docker Engine; undefined if none is configured. */
export function configuredDocker(parts: DockerParts): Provider | undefined {
  const { config, address, clock, log } = parts;
  if (address === undefined) return undefined;
  if (config.publicUrl === "" && config.dockerNetwork !== "host") {
    log.warn("containers reach the server under the public URL, which is not set", {
      set: "FOREBAY_PUBLIC_URL, for example http://host.docker.internal:8000",
    });
  }
  const [first = 0, last = 0] = config.dockerPublishPorts.split("-").map(Number);
  return dockerProvider({
    ...parts,
    engine: dockerEngine(address, clock),
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
