import { dockerEngine } from "../../src/fleet/docker/docker-engine.ts";
import { dockerProvider } from "../../src/fleet/docker/docker-provider.ts";
import type { DockerSettings } from "../../src/fleet/docker/container-body.ts";
import type { Provider } from "../../src/fleet/provider.ts";
import { systemClock } from "../../src/host/system-clock.ts";
import { type ContractProvider, SCRIPTS } from "../fleet/provider-contract.ts";
import type { DockerHost } from "../support/docker-host.ts";
import type { MemoryLog } from "../support/memory-log.ts";
import { MemoryOutput } from "../support/memory-output.ts";

export const SETTINGS: DockerSettings = {
  network: "none",
  user: "",
  memory: 256 * 1_048_576,
  cpus: 0,
  pids: 100,
  capabilities: [],
  publishAddress: "127.0.0.1",
  publishPorts: { first: 20_000, last: 29_999 },
};

export interface ProviderChoices {
  readonly socketPath: string;
  readonly deployment: string;
  readonly log: MemoryLog;
  readonly output?: MemoryOutput;
  readonly server?: string;
  readonly settings?: Partial<DockerSettings>;
}

export function openProvider({
  socketPath,
  settings = {},
  server = "s",
  output = new MemoryOutput(),
  ...rest
}: ProviderChoices): Provider {
  const clock = systemClock();
  return dockerProvider({
    ...rest,
    server,
    output,
    engine: dockerEngine({ socketPath }, clock),
    settings: { ...SETTINGS, ...settings },
    outlivesServer: true,
    randomBelow: (limit) => Math.floor(Math.random() * limit),
    clock,
  });
}

/** A deployment of its own on the engine, whose workers run the scripts of the contract in this image. */
export async function contractOn(
  host: DockerHost,
  image: string,
  log: MemoryLog,
  output: MemoryOutput,
  readsOn: boolean,
): Promise<ContractProvider> {
  const deployment = crypto.randomUUID().slice(0, 8);
  const open = (): Provider => openProvider({ socketPath: host.socket, deployment, log, output });
  return {
    provider: open(),
    runs: (script) =>
      script === "absent"
        ? { imageName: image, dockerStartCmd: ["no-such-program"] }
        : { imageName: image, dockerStartCmd: ["sh", "-c", SCRIPTS[script]] },
    reopen: async () => open(),
    readsOn,
    close: async () => undefined,
  };
}
