import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../../support/test-server.ts";
import { NEW_TEMPLATE } from "./template-record.ts";

describe("spec 2.8, the template record", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const fresh = () => ({ name: `t-${crypto.randomUUID()}`, imageName: "team/worker:1" });
  const create = async (fields: object = {}) =>
    (await server.post("/v1/templates", { ...fresh(), ...fields })).json;
  const update = async (id: string, fields: object = {}) =>
    (await server.post(`/v1/templates/${id}/update`, fields)).json;

  /** Create answers what it was given, and so does an update that changes something else. */
  async function expectKept(member: string, values: readonly unknown[]): Promise<void> {
    for (const value of values) {
      const fields = { ...fresh(), [member]: value };
      // Of the call, not of the record.
      const { warnings: _, ...created } = (await server.post("/v1/templates", fields)).json;
      expect(created).toEqual({ id: created.id, ...NEW_TEMPLATE, ...fields });
      const name = `other ${created.id}`;
      const kept = member === "name" ? { readme: "new" } : { name };
      expect(await update(created.id, kept)).toEqual({ ...created, ...kept });
    }
  }

  test("2.8 id: a string of its own for each, which an update keeps", async () => {
    const [one, other] = [await create({ id: "mine" }), await create()];
    expect(one.id).toMatch(/^[a-z0-9]{14}$/);
    expect(one.id).not.toBe(other.id);
    expect((await update(one.id, { id: other.id, readme: "new" })).id).toBe(one.id);
  });

  test("2.8 name: unique, also when many are made at once and when one is changed", async () => {
    await expectKept("name", [`a b/ü ${crypto.randomUUID()}`, crypto.randomUUID().padEnd(191, "x")]);
    const fields = fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.post("/v1/templates", fields)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ json }) => json.code === "NAME_TAKEN")).toHaveLength(19);
    const other = await create();
    expect(await update(other.id, { name: fields.name })).toMatchObject({ code: "NAME_TAKEN", status: 400 });
    expect(await update(other.id)).toEqual(other);
  });

  test("2.8 imageName: a reference to an image, with registry, tag and digest", () =>
    expectKept("imageName", [
      "ubuntu",
      "registry.example.com:5000/team/worker:1.2",
      `a/b@sha256:${"0".repeat(64)}`,
      "process/hello",
    ]));

  test("2.8 category: NVIDIA, AMD or CPU", () => expectKept("category", ["NVIDIA", "AMD", "CPU"]));
  test("2.8 containerDiskInGb: an integer", () => expectKept("containerDiskInGb", [0, 1, 1_000]));
  test("2.8 containerRegistryAuthId: a string, the id of a registry login", async () =>
    expectKept("containerRegistryAuthId", [await server.registryLogin(), ""]));
  test("2.8 dockerEntrypoint: an array of strings, empty for that of the image", () =>
    expectKept("dockerEntrypoint", [[], ["python", "-u", ""]]));
  test("2.8 dockerStartCmd: an array of strings, empty for that of the image", () =>
    expectKept("dockerStartCmd", [[], ["handler.py", "--name=é\n"]]));
  test("2.8 env: an object of names and values", () =>
    expectKept("env", [{}, { A: "1", _b2: "é\n", C: "" }]));
  test("2.8 ports: an array of [port]/[http or tcp]", () =>
    expectKept("ports", [[], ["8888/http", "22/tcp"], ["1/http", "65535/tcp"]]));
  test("2.8 readme: a string of Markdown", () => expectKept("readme", ["", "# Title\n\n<b>é</b>"]));
  test("2.8 volumeInGb: an integer", () => expectKept("volumeInGb", [0, 1, 1_000]));
  test("2.8 volumeMountPath: an absolute path", () =>
    expectKept("volumeMountPath", ["/workspace", "/data/models"]));
  test("2.8 isPublic: a boolean", () => expectKept("isPublic", [true, false]));
  test("2.8 isServerless: a boolean", () => expectKept("isServerless", [true, false]));

  test("2.8 isPlatform: false, whatever the author says", async () => {
    const author = await server.key("manage");
    const wish = { name: "mine", imageName: "team/worker:1", isPlatform: true };
    const { json } = await server.post("/v1/templates", wish, author);
    const updated = await server.post(`/v1/templates/${json.id}/update`, { isPlatform: true }, author);
    expect([json.isPlatform, updated.json.isPlatform]).toEqual([false, false]);
  });

  test("2.8 isPlatform of the operator: who has the scope admin says it, and takes it back", async () => {
    const { id, isPlatform } = await create({ isPlatform: true });
    expect([isPlatform, (await update(id, { readme: "a" })).isPlatform]).toEqual([true, true]);
    expect((await update(id, { isPlatform: null })).isPlatform).toBe(false);
  });

  test("2.8 isPublic for others: they use it and see no values of env; private it is not there", async () => {
    const others = await server.key("manage", { account: await server.account() });
    const env = { TOKEN: "canary" };
    const containerRegistryAuthId = await server.registryLogin();
    const { id } = await create({ isPublic: true, env, containerRegistryAuthId });
    const path = `/v1/templates/${id}`;
    const seen = await server.get(path, others);
    const hidden = { env: { TOKEN: "***" }, containerRegistryAuthId: "" };
    expect(seen.json).toEqual({ ...(await server.get(path)).json, ...hidden });
    const list = "/v1/templates?includePublicTemplates=true&includeEndpointBoundTemplates=true";
    expect((await server.get(list, others)).json).toContainEqual(seen.json);
    expect((await server.get(path)).json.env).toEqual(env);
    const wish = { templateId: id };
    const made = await server.post("/v1/endpoints", { name: "a", ...wish }, others);
    expect([made.status, made.json.templateId]).toEqual([200, id]);
    const absent = { error: `There is no template ${id}.`, code: "TEMPLATE_NOT_FOUND", status: 404 };
    expect((await server.post(`${path}/update`, { readme: "mine" }, others)).json).toEqual(absent);
    expect((await server.call("PATCH", path, { readme: "mine" }, others)).json).toEqual(absent);
    expect((await server.call("DELETE", path, undefined, others)).json).toEqual(absent);

    await update(id, { isPublic: false });
    expect((await server.get(path, others)).json).toEqual(absent);
    expect((await server.get(list, others)).text).not.toContain(id);
    expect((await server.post("/v1/endpoints", { name: "b", ...wish }, others)).json).toEqual(absent);
  });

  test("2.8 earned: a number that the author does not set", async () => {
    const { id, earned } = await create({ earned: 1e9 });
    expect([earned, (await update(id, { earned: 1e9 })).earned]).toEqual([0, 0]);
  });

  test("2.8 runtimeInMin: an integer that the author does not set", async () => {
    const { id, runtimeInMin } = await create({ runtimeInMin: 5 });
    expect([runtimeInMin, (await update(id, { runtimeInMin: 5 })).runtimeInMin]).toEqual([0, 0]);
  });
});
