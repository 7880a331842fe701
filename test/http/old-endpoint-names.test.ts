import { expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { ENDPOINT_DEFAULTS } from "../../src/domain/endpoint.ts";
import { putRecord } from "../../src/engine/records/put-record.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";

test("names that cannot be in paths: ids still work, and the start logs each one", async () => {
  await using directory = await temporaryDirectory();
  const flags = { data: directory.path };
  const before = await TestServer.start({ flags });
  const { engine } = before.forebay;
  const plain = { account: DEFAULT_ACCOUNT.id, templateId: undefined, ...ENDPOINT_DEFAULTS, createdAt: 1 };
  for (const [id, name] of [
    ["old1", "templates"],
    ["old2", "old1"],
    ["old3", "chat"],
    ["pods", "pods"],
  ] as const) {
    await putRecord(engine, "endpoint", { ...plain, id, name });
  }
  await before.stop();

  const server = await TestServer.start({ flags });
  const warned = server.log.entries
    .filter(({ message }) => message === "the name of an endpoint does not work in paths: rename it")
    .map(({ fields }) => [fields?.["endpoint"], fields?.["name"], fields?.["reason"]]);
  expect(warned.toSorted()).toEqual([
    ["old1", "templates", "its name is a reserved word: paths take its id alone"],
    ["old2", "old1", "its name is the id of another endpoint: paths take its own id alone"],
    ["pods", "pods", "its id is a reserved word: no path leads to it"],
  ]);
  const read = async (text: string) => {
    const { json } = await server.get(`/v1/endpoints/${text}`);
    return json.id ?? json.code;
  };
  expect(await read("old1")).toBe("old1");
  expect(await read("templates")).toBe("ENDPOINT_NOT_FOUND");
  expect(await read("old2")).toBe("old2");
  expect(await read("chat")).toBe("old3");
  expect(await read("pods")).toBe("pods");
  // A change that repeats the name keeps it.
  const same = await server.call("PATCH", "/v1/endpoints/old1", { name: "templates", workersMax: 4 });
  expect(same.json).toMatchObject({ name: "templates", workersMax: 4 });
  expect((await server.call("PATCH", "/v1/endpoints/old1", { name: "new" })).json.name).toBe("new");
  expect(await read("new")).toBe("old1");
  await server.stop();
});
