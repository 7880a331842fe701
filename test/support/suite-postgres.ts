import { afterAll, beforeAll } from "bun:test";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

/** One PostgreSQL for all tests of the enclosing group or file. */
export function suitePostgres(settings: readonly string[] = []): () => PostgresServer {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await startPostgres(settings);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });
  return () => {
    if (server === undefined) throw new Error("the server is started by a hook, so only tests can have it");
    return server;
  };
}
