import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestServer } from "../support/test-server.ts";

describe("templates", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const fresh = (): { name: string; imageName: string } => ({
    name: `t-${crypto.randomUUID()}`,
    imageName: "a/b:1",
  });
  const create = (fields: object) => server.post("/v1/templates", { ...fresh(), ...fields });
  const update = (id: string, fields: object) => server.post(`/v1/templates/${id}/update`, fields);

  test("spec 4.B.1: of name and image comes a template with all eighteen members", async () => {
    const fields = fresh();
    const { status, json } = await server.post("/v1/templates", fields);
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{14}$/),
      ...fields,
      category: "NVIDIA",
      containerDiskInGb: 50,
      containerRegistryAuthId: "",
      dockerEntrypoint: [],
      dockerStartCmd: [],
      env: {},
      ports: [],
      readme: "",
      volumeInGb: 20,
      volumeMountPath: "/workspace",
      isPublic: false,
      isServerless: false,
      isPlatform: false,
      earned: 0,
      runtimeInMin: 0,
    });
  });

  const every = {
    category: "CPU",
    containerDiskInGb: 0,
    containerRegistryAuthId: "auth1",
    dockerEntrypoint: ["python"],
    dockerStartCmd: ["-u", "handler.py"],
    env: { A: "1", B_2: "é\n" },
    ports: ["8888/http", "22/tcp"],
    readme: "# Title",
    volumeInGb: 0,
    volumeMountPath: "/data/models",
    isPublic: true,
    isServerless: true,
  };

  test("every member is taken as given", async () => {
    expect((await create(every)).json).toMatchObject(every);
  });

  test("spec 4.B.2: an update changes what it names; null puts the default back", async () => {
    const { json } = await create(every);
    const changed = await update(json.id, { readme: "new", env: null, volumeInGb: null });
    expect(changed.status).toBe(200);
    expect(changed.json).toEqual({ ...json, readme: "new", env: {}, volumeInGb: 20 });
    expect((await update(json.id, {})).json).toEqual(changed.json);
  });

  test("spec 4.B.2: category, isServerless and unknown members change nothing in an update", async () => {
    const { json } = await create({});
    const changed = await update(json.id, { category: "AMD", isServerless: true, colour: "red" });
    expect([changed.status, changed.json]).toEqual([200, json]);
  });

  test("members that are not the author's to set are never stored", async () => {
    const { json } = await create({
      id: "mine",
      isPlatform: true,
      earned: 1e9,
      runtimeInMin: 5,
      nested: { a: 1 },
    });
    expect(json).toMatchObject({ isPlatform: false, earned: 0, runtimeInMin: 0 });
    expect(json.id).not.toBe("mine");
    expect(json).not.toHaveProperty("nested");
  });

  test("names are unique, also when many are made at once", async () => {
    const fields = fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.post("/v1/templates", fields)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ json }) => json.code === "NAME_TAKEN")).toHaveLength(19);
    const other = (await create({})).json;
    expect((await update(other.id, { name: fields.name })).json.code).toBe("NAME_TAKEN");
  });

  test.each([
    ["name", { name: "" }],
    ["name", { name: "a\0" }],
    ["name", { name: null }],
    ["name", { name: "x".repeat(192) }],
    ["imageName", { imageName: undefined }],
    ["imageName", { imageName: "--privileged" }],
    ["imageName", { imageName: "a;rm -rf /" }],
    ["imageName", { imageName: "a\nb" }],
    ["category", { category: "INTEL" }],
    ["containerDiskInGb", { containerDiskInGb: -1 }],
    ["containerDiskInGb", { containerDiskInGb: 1.5 }],
    ["volumeInGb", { volumeInGb: 1e308 }],
    ["dockerStartCmd", { dockerStartCmd: "python" }],
    ["dockerEntrypoint.0", { dockerEntrypoint: [1] }],
    ["env", { env: { "A=B": "1" } }],
    ["env", { env: { "": "1" } }],
    ["env.A", { env: { A: 1 } }],
    ["ports.0", { ports: ["80/udp"] }],
    ["ports.0", { ports: ["0/http"] }],
    ["ports.1", { ports: ["80/http", "70000/tcp"] }],
    ["volumeMountPath", { volumeMountPath: "workspace" }],
    ["volumeMountPath", { volumeMountPath: "/" }],
    ["volumeMountPath", { volumeMountPath: "/a/../etc" }],
    ["volumeMountPath", { volumeMountPath: "/a:/b" }],
    ["isPublic", { isPublic: "yes" }],
    ["readme", { readme: "x".repeat(262_145) }],
  ])("a bad %s is refused, and the member named: %j", async (name, fields) => {
    const { status, json } = await create(fields);
    expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
    expect(json.error).toStartWith(`${name}: `);
  });

  test("an update of an unknown template is 404", async () => {
    expect(await update("nowhere", {})).toMatchObject({ status: 404, json: { code: "TEMPLATE_NOT_FOUND" } });
  });

  test("design row 1: under /sdk the record has isRunpod beside isPlatform", async () => {
    const { json } = await server.post("/sdk/v1/templates", fresh());
    expect(json).toMatchObject({ isPlatform: false, isRunpod: false });
  });
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
    [{ imageName: "process/rm" }, "imageName: process/rm is no registered command; there is process/hello."],
    [{ imageName: "process/__proto__" }, "imageName: process/__proto__ is no registered command"],
    [{ dockerEntrypoint: ["/bin/sh"] }, "dockerEntrypoint: the program of process/hello"],
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
