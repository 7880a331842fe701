import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../support/test-server.ts";

const PATH = "/v1/containerregistryauth";

describe.each(["", "/sdk"])("registry logins under %s/v1", (base) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const wish = (fields: object = {}) => ({
    name: crypto.randomUUID(),
    username: "u",
    password: "p",
    ...fields,
  });
  const create = (fields: object = {}) => server.post(`${base}${PATH}`, wish(fields));
  const remove = (id: string) => server.call("DELETE", `${base}${PATH}/${id}`);

  test("are made, listed, read and deleted, and show neither username nor password", async () => {
    const made = await create({ name: "b", username: "canary-user", password: "canary-password" });
    expect([made.status, made.json]).toEqual([200, { id: expect.any(String), name: "b" }]);
    const { json: first } = await create({ name: "a" });
    const list = await server.get(`${base}${PATH}`);
    expect([list.status, list.json]).toEqual([200, [first, made.json]]);
    const one = await server.get(`${base}${PATH}/${made.json.id}`);
    expect([one.status, one.json]).toEqual([200, made.json]);
    for (const { text } of [made, list, one]) expect(text).not.toContain("canary");
    const { status, text } = await remove(made.json.id);
    expect([status, text]).toEqual([204, ""]);
    expect((await server.get(`${base}${PATH}`)).json).toEqual([first]);
    for (const answer of [await server.get(`${base}${PATH}/${made.json.id}`), await remove(made.json.id)]) {
      expect([answer.status, answer.json.code]).toEqual([404, "REGISTRY_LOGIN_NOT_FOUND"]);
    }
  });

  test("need all three members, and take no other", async () => {
    for (const member of ["name", "username", "password"]) {
      for (const value of [undefined, null, "", 1, {}, ["a"], "a\0"]) {
        const { status, json } = await create({ [member]: value });
        expect([value, status, json.code]).toEqual([value, 400, "INVALID_FIELD"]);
        expect(json.error).toStartWith(member);
      }
    }
    const long = { name: 191, username: 1_024, password: 65_536 };
    for (const [member, most] of Object.entries(long)) {
      const text = crypto.randomUUID().padEnd(most, "x");
      expect((await create({ [member]: text })).status).toBe(200);
      expect((await create({ [member]: `${text}x` })).json.code).toBe("INVALID_FIELD");
    }
    // It would end the username where registries are logged in to.
    expect((await create({ username: "a:b" })).json.error).toBe("username: must not contain a colon.");
    // A login is for the registry of the image: one that says another would be misled.
    expect((await create({ registry: "ghcr.io" })).json.code).toBe("INVALID_FIELD");
    expect((await server.post(`${base}${PATH}`)).json.code).toBe("INVALID_FIELD");
  });

  test("have names that are unique in the account, also when many are made at once", async () => {
    const fields = wish();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => server.post(`${base}${PATH}`, fields)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ json }) => json.code === "NAME_TAKEN");
    expect(refused).toHaveLength(19);
    const sentence = `Another registry login is already named ${fields.name}. Choose another name.`;
    expect(refused[0]?.json.error).toBe(sentence);
    const other = await server.key("manage", { account: await server.account() });
    expect((await server.post(`${base}${PATH}`, fields, other)).status).toBe(200);
  });

  test("are not deleted while a template names them", async () => {
    const { id } = (await create()).json;
    const template = { imageName: "ghcr.io/a/b:1", containerRegistryAuthId: id };
    const made = [1, 2].map((n) => server.post(`${base}/v1/templates`, { name: `t${n}`, ...template }));
    const [one, two] = (await Promise.all(made)).map(({ json }) => json.id);
    const refused = await remove(id);
    expect([refused.status, refused.json.code]).toEqual([400, "IN_USE"]);
    expect(refused.json.error).toBe(
      `Registry login ${id} is used by 2 templates. ` +
        "First give them another containerRegistryAuthId, or delete them.",
    );
    await server.call("DELETE", `${base}/v1/templates/${one}`);
    expect((await remove(id)).json.error).toContain("by 1 template.");
    const cleared = await server.call("PATCH", `${base}/v1/templates/${two}`, {
      containerRegistryAuthId: "",
    });
    expect([cleared.status, cleared.json.containerRegistryAuthId]).toEqual([200, ""]);
    expect((await remove(id)).status).toBe(204);
  });

  test("and a template made at the same time: never a template without its login", async () => {
    for (let n = 0; n < 20; n++) {
      const { id } = (await create()).json;
      const template = { name: crypto.randomUUID(), imageName: "a", containerRegistryAuthId: id };
      const makes = () => server.post(`${base}/v1/templates`, template);
      const both = n % 2 === 0 ? [makes(), remove(id)] : [remove(id), makes()];
      const codes = (await Promise.all(both)).map(({ status, json }) => json?.code ?? status);
      expect([
        [200, "IN_USE"],
        [204, "INVALID_FIELD"],
      ]).toContainEqual(codes.toSorted());
    }
  });
});
