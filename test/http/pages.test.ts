import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../support/test-server.ts";

describe("lists that come page by page", () => {
  let server: TestServer;
  const paths: (readonly [path: string, member: string, id: string])[] = [];

  beforeAll(async () => {
    server = await TestServer.start();
    const { json: template } = await server.post("/v1/templates", { name: "t", imageName: "process/hello" });
    const endpoint = await server.endpoint({ templateId: template.id, workersMax: 0 });
    for (let number = 0; number < 6; number++) {
      await server.account();
      await server.key("read");
      await server.worker(endpoint);
      const changes = { dockerStartCmd: [], env: { NUMBER: String(number) } };
      await server.post(`/v1/templates/${template.id}/update`, changes);
    }
    paths.push(["/v1/accounts", "accounts", "id"], ["/v1/keys", "keys", "id"]);
    paths.push([`/v1/endpoints/${endpoint}/workers`, "workers", "id"]);
    paths.push([`/v1/endpoints/${endpoint}/releases`, "releases", "version"]);
  });
  afterAll(() => server.stop());

  test("have every record once and in order, whatever the size of the pages", async () => {
    for (const [path, member, id] of paths) {
      const whole = (await server.get(path)).json[member].map(
        (record: Record<string, unknown>) => record[id],
      );
      expect(whole.length).toBeGreaterThan(5);
      for (const limit of [1, 2, 4, 1_000]) {
        const found = [];
        let cursor = "";
        do {
          const { json } = await server.get(`${path}?limit=${limit}${cursor}`);
          expect(json[member].length).toBeLessThanOrEqual(limit);
          found.push(...json[member].map((record: Record<string, unknown>) => record[id]));
          cursor = json.nextCursor === undefined ? "" : `&cursor=${json.nextCursor}`;
        } while (cursor !== "");
        expect(found).toEqual(whole);
      }
    }
  });

  test("a page begins behind the one before, also when its last record was deleted", async () => {
    const { json: first } = await server.get("/v1/keys?limit=3");
    await server.call("DELETE", `/v1/keys/${first.keys[2].id}`);
    const { json: second } = await server.get(`/v1/keys?limit=3&cursor=${first.nextCursor}`);
    const ids = [...first.keys, ...second.keys].map(({ id }) => id);
    expect(second.keys.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("have neither readme nor env", async () => {
    for (const [path] of paths) expect((await server.get(path)).text).not.toMatch(/"(env|readme)":/);
  });

  test("refuse an invalid limit and an invalid cursor", async () => {
    for (const [path] of paths)
      for (const query of ["limit=0", "limit=1001", "limit=x", "cursor=x", "cursor="])
        expect((await server.get(`${path}?${query}`)).json.code).toBe("INVALID_QUERY");
  });
});
