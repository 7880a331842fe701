import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestServer } from "../support/test-server.ts";

test("design row 1: under /sdk the record has isRunpod beside isPlatform", async () => {
  const server = await TestServer.start();
  const { json } = await server.post("/sdk/v1/templates", { name: "a", imageName: "team/worker:1" });
  expect(json).toMatchObject({ isPlatform: false, isRunpod: false });
  await server.stop();
});

test("invariant 9: the values of a template's environment are nowhere in the data directory", async () => {
  const directory = await mkdtemp(join(tmpdir(), "forebay-"));
  const data = join(directory, "data");
  const server = await TestServer.start({ flags: { data } });
  const fields = { name: "secret", imageName: "a", env: { TOKEN: "canary-in-the-environment" } };
  const { json } = await server.post("/v1/templates", fields);
  await server.stop();
  for (const file of await readdir(data, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = await readFile(join(file.parentPath, file.name));
    expect(bytes.includes("canary-in-the-environment")).toBe(false);
  }
  const again = await TestServer.start({ flags: { data } });
  expect((await again.post(`/v1/templates/${json.id}/update`, {})).json.env).toEqual(fields.env);
  await again.stop();
  await rm(directory, { recursive: true });
});

describe("a template that names a registered command", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const create = (fields: Record<string, unknown>) =>
    server.post("/v1/templates", { name: crypto.randomUUID(), imageName: "process/hello", ...fields });

  test("is accepted when the operator has registered it", async () => {
    expect((await create({ env: { MODEL: "a" } })).status).toBe(200);
  });

  test.each<[fields: Record<string, unknown>, sentence: string]>([
    [{ imageName: "process/rm" }, "imageName: process/rm is not a registered command. Use process/hello."],
    [{ imageName: "process/__proto__" }, "imageName: process/__proto__ is not a registered command"],
    [{ dockerEntrypoint: ["/bin/sh"] }, "dockerEntrypoint: the operator sets the program of process/hello"],
    [{ dockerStartCmd: ["--eval", "1"] }, "dockerStartCmd: process/hello takes no arguments"],
    [{ env: { NODE_OPTIONS: "--import=data:," } }, "env: NODE_OPTIONS could make"],
    [{ env: { LD_PRELOAD: "/tmp/x.so" } }, "env: LD_PRELOAD could make"],
  ])("is refused, new or changed, with %j (threat T3)", async (fields, sentence) => {
    const refused = await create(fields);
    expect([refused.status, refused.json.code]).toEqual([400, "INVALID_FIELD"]);
    expect(refused.json.error).toStartWith(sentence);
    const { json } = await create({});
    const changed = await server.post(`/v1/templates/${json.id}/update`, fields);
    expect([changed.status, changed.json.code]).toEqual([400, "INVALID_FIELD"]);
  });

  test("the same fields are a container's own business", async () => {
    const env = { LD_PRELOAD: "/lib/x.so" };
    const fields = {
      imageName: "team/worker:1",
      dockerEntrypoint: ["/bin/sh"],
      dockerStartCmd: ["-c", "x"],
      env,
    };
    expect((await create(fields)).status).toBe(200);
  });
});
