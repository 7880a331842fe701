import { expect, test } from "bun:test";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";

test("records that no key opens do not keep lists from being answered", async () => {
  await using directory = await temporaryDirectory();
  const flags = { data: directory.path, "secret-key": "the first key" };
  const before = await TestServer.start({ flags });
  const lost = await before.endpoint({ env: { A: "1" } });
  const template = { name: "lost", imageName: "a/b:1", env: { A: "1" } };
  expect((await before.post("/v1/templates", template)).status).toBe(200);
  await before.stop();
  // A start with a key that opens nothing is refused: both keys are there for the second endpoint.
  const both = { ...flags, "secret-key": "another key", "secret-key-previous": "the first key" };
  const between = await TestServer.start({ flags: both });
  const whole = await between.endpoint({ env: { B: "2" } });
  await between.stop();

  const server = await TestServer.start({ flags: { ...flags, "secret-key": "another key" } });

  const { status, json } = await server.get("/v1/endpoints");
  expect(status).toBe(200);
  const envs = json.map(({ id, env }: { id: string; env: unknown }) => [id, env]);
  expect(new Map(envs)).toEqual(
    new Map([
      [lost, {}],
      [whole, { B: "2" }],
    ]),
  );
  expect((await server.get("/v1/templates")).json).toMatchObject([{ name: "lost", env: {} }]);
  expect(JSON.stringify(server.log.errors)).toContain(`endpoint ${lost}`);
  await server.forebay.stop();
});
