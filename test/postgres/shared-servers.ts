import { afterEach, beforeEach } from "bun:test";
import type { ManualClock } from "../support/manual-clock.ts";
import type { LentDatabase } from "../support/postgres-server.ts";
import { ServerProcess, type ServerProcessOptions } from "../support/server-process.ts";
import { startStill } from "../support/still-servers.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

type Flags = Readonly<Record<string, string>>;

/** Servers on one database, with one secret key. */
export interface SharedServers {
  /** Starts one more in this process. With a clock its time stands still. */
  start(flags?: Flags, clock?: ManualClock): Promise<TestServer>;
  /** Starts one more as a process, which can be killed. */
  startProcess(options?: ServerProcessOptions): Promise<ServerProcess>;
  /** Stops one while the test goes on. */
  stop(server: TestServer): Promise<void>;
  /** Flags of a server that hears no notification, because it listens to another database. */
  deaf(): Flags;
  databaseUrl(): string;
  /** Runs statements on the database, as the superuser. */
  ask<Row>(statements: string): Promise<Row[]>;
}

/** For each test of the enclosing group a new database. After the test all servers on it stop. */
export function sharedServers(): SharedServers {
  const postgres = suiteDatabases();
  const running = new Set<TestServer | ServerProcess>();
  let database: LentDatabase;

  const flagsOf = (more: Flags = {}): Record<string, string> => ({
    "database-url": database.url,
    "secret-key": "the same on all",
    ...more,
  });

  async function stop(server: TestServer | ServerProcess): Promise<void> {
    running.delete(server);
    await server.stop();
  }

  beforeEach(async () => {
    database = await postgres().lendDatabase();
  });
  afterEach(async () => {
    for (const server of running) await stop(server);
    await database.giveBack();
  });

  return {
    async start(more, clock) {
      const flags = flagsOf(more);
      const server = await (clock === undefined ? TestServer.start({ flags }) : startStill(clock, flags));
      running.add(server);
      return server;
    },
    async startProcess(options = {}) {
      const server = await ServerProcess.start({ ...options, flags: flagsOf(options.flags) });
      running.add(server);
      return server;
    },
    stop,
    deaf: () => ({ "database-listen-url": postgres().url("postgres") }),
    databaseUrl: () => database.url,
    ask: <Row>(statements: string) =>
      postgres().run<Row>(statements, new URL(database.url).pathname.slice(1)),
  };
}

/** Resolves when the server has the endpoint in its cache. */
export async function knows({ forebay }: TestServer, endpoint: string): Promise<void> {
  await until("the endpoint is known", () => forebay.engine.configuration.get("endpoint", endpoint));
}
