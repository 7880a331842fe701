import { NGINX, startBalancer } from "../support/load-balancer.ts";
import { anyPostgres } from "../support/given-postgres.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TestClient } from "../support/test-client.ts";
import { VersionHost } from "./version-host.ts";
import { SDK_VERSIONS, type SdkVersion } from "./versions.ts";

/** The servers that all cases share. */
export interface World {
  /** One server on SQLite. */
  readonly server: ServerProcess;
  /** Two servers on one PostgreSQL, behind nginx as `deploy` has it. */
  readonly pair: TestClient;
  host(version: SdkVersion): VersionHost;
  stop(): Promise<void>;
}

export async function startWorld(): Promise<World> {
  await using starting = new AsyncDisposableStack();
  const hosts = new Map(SDK_VERSIONS.map((version) => [version, new VersionHost(version)]));
  starting.defer(async () => {
    await Promise.all([...hosts.values()].map((host) => host.stop()));
  });
  const server = starting.adopt(await ServerProcess.start(), (started) => started.stop());
  const pair = await startPair(starting);
  const running = starting.move();
  return {
    server,
    pair,
    host(version) {
      const found = hosts.get(version);
      if (found === undefined) throw new Error(`no host runs ${version.version}`);
      return found;
    },
    stop: () => running.disposeAsync(),
  };
}

async function startPair(stack: AsyncDisposableStack): Promise<TestClient> {
  const postgres = stack.use(await anyPostgres());
  const { url } = await postgres.lendDatabase();
  const flags = { "database-url": url, "secret-key": "the same on both" };
  const servers: ServerProcess[] = [];
  for (let count = 0; count < 2; count++) {
    servers.push(stack.adopt(await ServerProcess.start({ flags }), (started) => started.stop()));
  }
  const balancer = stack.use(
    await startBalancer(
      NGINX,
      servers.map(({ url: address }) => address),
    ),
  );
  return new ThroughBalancer(balancer.url);
}

/** Clients and workers reach the servers through the balancer alone. */
class ThroughBalancer extends TestClient {
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
  }
}
