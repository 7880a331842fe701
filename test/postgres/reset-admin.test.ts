import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { LentDatabase } from "../support/postgres-server.ts";
import { expectKeyReset, resetAdmin } from "../support/reset-admin.ts";
import { ServerProcess } from "../support/server-process.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { until } from "../support/until.ts";

describe("forebay keys reset-admin of servers that share a PostgreSQL", () => {
  const postgres = suiteDatabases();
  let database: LentDatabase;
  const servers: ServerProcess[] = [];
  beforeEach(async () => {
    database = await postgres().lendDatabase();
    const flags = { "database-url": database.url, "secret-key": "the same on both", "admin-key": "" };
    for (let i = 0; i < 2; i++) servers.push(await ServerProcess.start({ flags }));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    await database.giveBack();
  });

  test("by the directory of one of them, the key is good on both", async () => {
    const [one, other] = servers;
    if (one === undefined || other === undefined) throw new Error("two servers were started");
    await expectKeyReset(one, join(one.directory, "data"));
    const { key } = await resetAdmin(join(other.directory, "data"));
    for (const server of servers) {
      await until("it is good there", async () => {
        return (await server.get("/v1/accounts", { authorization: key })).status === 200;
      });
    }
    expect((await one.get("/v1/keys", { authorization: key })).json.keys).toHaveLength(3);
  });
});
