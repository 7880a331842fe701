import { afterAll, beforeAll } from "bun:test";
import { anyPostgres } from "./given-postgres.ts";
import { type PostgresDatabases, type PostgresServer, startPostgres } from "./postgres-server.ts";

/**
 * One PostgreSQL of their own for all tests of the enclosing group or file: these stop it, or look into its
 * directory.
 */
export function suitePostgres(settings: readonly string[] = []): () => PostgresServer {
  return suiteWide(() => startPostgres(settings));
}

/** The same for tests that need only databases: of a server that was given, if there is one. */
export function suiteDatabases(): () => PostgresDatabases {
  return suiteWide(anyPostgres);
}

function suiteWide<Server extends AsyncDisposable>(start: () => Promise<Server>): () => Server {
  let server: Server | undefined;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });
  return () => {
    if (server === undefined) throw new Error("the server is started by a hook, so only tests can have it");
    return server;
  };
}
