import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { expectKeyReset, resetAdmin } from "../support/reset-admin.ts";
import { until } from "../support/until.ts";
import { sharedServers } from "./shared-servers.ts";

describe("forebay keys reset-admin of servers that share a PostgreSQL", () => {
  const servers = sharedServers();

  test("by the directory of one of them, the key is good on both", async () => {
    const flags = { "admin-key": "" };
    const [one, other] = [await servers.startProcess({ flags }), await servers.startProcess({ flags })];
    await expectKeyReset(one, join(one.directory, "data"));
    const { key } = await resetAdmin(join(other.directory, "data"));
    for (const server of [one, other]) {
      await until("it is good there", async () => {
        return (await server.get("/v1/accounts", { authorization: key })).status === 200;
      });
    }
    expect((await one.get("/v1/keys", { authorization: key })).json.keys).toHaveLength(3);
  });
});
