import { afterEach, beforeEach } from "bun:test";
import type { ManualClock } from "../support/manual-clock.ts";
import type { LentDatabase } from "../support/postgres-server.ts";
import { startStill } from "../support/still-servers.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

type Flags = Readonly<Record<string, string>>;

/** Servers on one database, with one secret key. */
export interface SharedServers {
  /** Starts one more. With a clock its time stands still. */
  start(flags?: Flags, clock?: ManualClock): Promise<TestServer>;
  /** Stops one while the test goes on. */
  stop(server: TestServer): Promise<void>;
  /** Flags of a server that hears no notification, because it listens to another database. */
  deaf(): Flags;
}

/** For each test of the enclosing group a new database. After the test all servers on it stop. */
export function sharedServers(): SharedServers {
  const postgres = suiteDatabases();
  const running = new Set<TestServer>();
  let database: LentDatabase;

  async function stop(server: TestServer): Promise<void> {
    running.delete(server);
    await server.stop();
  }

  beforeEach(async () => {
    database = await postgres().lendDatabase();
  });
  afterEach(async () => {
    for (const server of [...running]) await stop(server);
    await database.giveBack();
  });

  return {
    async start(more = {}, clock) {
      const flags = { "database-url": database.url, "secret-key": "the same on all", ...more };
      const server = await (clock === undefined ? TestServer.start({ flags }) : startStill(clock, flags));
      running.add(server);
      return server;
    },
    stop,
    deaf: () => ({ "database-listen-url": postgres().url("postgres") }),
  };
}

/** Resolves when the server has the endpoint in its cache. */
export async function knows({ forebay }: TestServer, endpoint: string): Promise<void> {
  await until("the endpoint is known", () => forebay.engine.configuration.get("endpoint", endpoint));
}
