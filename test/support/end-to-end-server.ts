import { anyPostgres } from "./given-postgres.ts";
import { RoundRobinProxy } from "./round-robin-proxy.ts";
import { ServerProcess } from "./server-process.ts";
import { TestClient } from "./test-client.ts";
import { TestServer } from "./test-server.ts";

/** What the tests of clients and workers talk to, however many servers it is. */
export interface EndToEndServer extends TestClient {
  stop(): Promise<void>;
}

export interface KillableServer extends EndToEndServer {
  /** Kills it with -9; of several, one. */
  kill(): Promise<void>;
  startAgain(): Promise<void>;
}

/** With FOREBAY_TEST_SERVERS=2 there are two on one PostgreSQL, behind a proxy that takes turns. */
const ARE_TWO = process.env["FOREBAY_TEST_SERVERS"] === "2";

/** In the process of the test. */
export function startEndToEnd(): Promise<EndToEndServer> {
  if (!ARE_TWO) return TestServer.start();
  return BalancedServers.start((flags) => TestServer.start({ flags }));
}

/** As processes of their own. */
export function startKillable(): Promise<KillableServer> {
  if (!ARE_TWO) return ServerProcess.start();
  return BalancedProcesses.start((flags) => ServerProcess.start({ flags }));
}

type StartOne<One> = (flags: Record<string, string>) => Promise<One>;

/** Two servers on one database of their own, behind a proxy. */
class BalancedServers<One extends EndToEndServer> extends TestClient {
  protected readonly proxy: RoundRobinProxy;
  protected readonly servers: readonly One[];
  readonly #end: AsyncDisposableStack;

  constructor(proxy: RoundRobinProxy, servers: readonly One[], end: AsyncDisposableStack) {
    super();
    this.proxy = proxy;
    this.servers = servers;
    this.#end = end;
    proxy.sendTo(servers.map(({ url }) => url));
  }

  static async start<One extends EndToEndServer, Self>(
    this: new (proxy: RoundRobinProxy, servers: readonly One[], end: AsyncDisposableStack) => Self,
    startOne: StartOne<One>,
  ): Promise<Self> {
    await using starting = new AsyncDisposableStack();
    const postgres = starting.use(await anyPostgres());
    const { url } = await postgres.lendDatabase();
    const proxy = starting.adopt(await RoundRobinProxy.start(), (started) => started.stop());
    const flags = { "database-url": url, "secret-key": "the same on both", "public-url": proxy.url };
    const servers: One[] = [];
    for (let count = 0; count < 2; count++) {
      servers.push(starting.adopt(await startOne(flags), (started) => started.stop()));
    }
    return new this(proxy, servers, starting.move());
  }

  get url(): string {
    return this.proxy.url;
  }

  stop(): Promise<void> {
    return this.#end.disposeAsync();
  }
}

class BalancedProcesses extends BalancedServers<ServerProcess> {
  async kill(): Promise<void> {
    const [first, second] = this.servers;
    // A load balancer notices at once that nobody listens there.
    this.proxy.sendTo(second === undefined ? [] : [second.url]);
    await first?.kill();
  }

  async startAgain(): Promise<void> {
    await this.servers[0]?.startAgain();
    this.proxy.sendTo(this.servers.map(({ url }) => url));
  }
}
