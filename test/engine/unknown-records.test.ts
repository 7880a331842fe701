import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";

test("a server skips kinds of records that only a newer version knows", async () => {
  await using directory = await temporaryDirectory();
  const flags = { data: directory.path };
  let server = await TestServer.start({ flags });
  const endpoint = await server.endpoint();
  await server.stop();

  const database = new Database(join(directory.path, "forebay.db"));
  database.run(
    `INSERT INTO record (kind, id, account, version, change, body)
     SELECT 'ofTomorrow', 'a', 'default', 1, max(change) + 1, '{}' FROM record`,
  );
  database.close();

  server = await TestServer.start({ flags });
  expect((await server.get(`/v1/endpoints/${endpoint}`)).status).toBe(200);
  await server.stop();
});
