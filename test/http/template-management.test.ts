import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../support/answer.ts";
import { TestServer } from "../support/test-server.ts";

describe("templates, beyond create and update", () => {
  let server: TestServer;
  let other: { authorization: string };
  beforeAll(async () => {
    server = await TestServer.start();
    other = await server.key("manage", { account: await server.account() });
  });
  afterAll(() => server.stop());

  type Key = { authorization: string };
  const wish = (fields: object = {}) => ({
    name: crypto.randomUUID(),
    imageName: "team/worker:1",
    ...fields,
  });
  const create = async (fields: object = {}, key?: Key): Promise<string> =>
    (await server.post("/v1/templates", wish(fields), key)).json.id;
  const remove = (id: string, key?: Key) => server.call("DELETE", `/v1/templates/${id}`, undefined, key);
  const refusal = ({ status, json }: Answer) => [status, json.code, json.error];

  describe("DELETE", () => {
    test("answers 204 and nothing, and the template is not there any more", async () => {
      const name = crypto.randomUUID();
      const id = await create({ name });
      const { status, text } = await remove(id);
      expect([status, text]).toEqual([204, ""]);
      const absent = [404, "TEMPLATE_NOT_FOUND", `There is no template ${id}.`];
      expect(refusal(await server.get(`/v1/templates/${id}`))).toEqual(absent);
      expect(refusal(await server.post(`/v1/templates/${id}/update`, {}))).toEqual(absent);
      expect(refusal(await remove(id))).toEqual(absent);
      expect((await server.get("/v1/templates")).text).not.toContain(id);
      // Its name is free.
      expect((await server.post("/v1/templates", wish({ name }))).status).toBe(200);
    });

    test("with a content type and no body, as the Go client sends it, is the same", async () => {
      const headers = { "content-type": "application/json" };
      const id = await create();
      const { status } = await server.call("DELETE", `/v1/templates/${id}`, undefined, headers);
      expect(status).toBe(204);
    });

    test("of one that endpoints are on is refused, with how many there are", async () => {
      const id = await create({ isPublic: true });
      const own = [await server.endpoint({ templateId: id }), await server.endpoint({ templateId: id })];
      const theirs = (await server.post("/v1/endpoints", { name: "a", templateId: id }, other)).json.id;
      const sentence = (users: string) =>
        `Template ${id} is used by ${users}. First delete them, or give them another template.`;
      const inUse = async () => refusal(await remove(id));
      expect(await inUse()).toEqual([400, "IN_USE", sentence("3 endpoints, 1 of them of other accounts")]);
      await server.call("DELETE", `/v1/endpoints/${theirs}`, undefined, other);
      expect(await inUse()).toEqual([400, "IN_USE", sentence("2 endpoints")]);
      await server.call("DELETE", `/v1/endpoints/${own[0]}`);
      expect(await inUse()).toEqual([400, "IN_USE", sentence("1 endpoint")]);
      await server.call("DELETE", `/v1/endpoints/${own[1]}`);
      expect((await remove(id)).status).toBe(204);
    });

    test("of one and an endpoint on it at the same time: no endpoint is without its template", async () => {
      for (let n = 0; n < 20; n++) {
        const templateId = await create();
        const makes = () => server.post("/v1/endpoints", { name: crypto.randomUUID(), templateId });
        const both = n % 2 === 0 ? [makes(), remove(templateId)] : [remove(templateId), makes()];
        const codes = (await Promise.all(both)).map(({ status, json }) => json?.code ?? status);
        expect([
          [200, "IN_USE"],
          [204, "TEMPLATE_NOT_FOUND"],
        ]).toContainEqual(codes.toSorted());
      }
    });
  });

  test("PATCH is the same as update, also under /sdk with isRunpod", async () => {
    const id = await create({ readme: "old", env: { A: "1" } });
    const before = (await server.get(`/v1/templates/${id}`)).json;
    const { status, json } = await server.call("PATCH", `/v1/templates/${id}`, { readme: "new" });
    expect([status, json]).toEqual([200, { ...before, readme: "new" }]);
    const sdk = await server.call("PATCH", `/sdk/v1/templates/${id}`, { env: null });
    expect([sdk.status, sdk.json]).toEqual([200, { ...json, env: {}, isRunpod: false }]);
    expect((await server.call("PATCH", `/v1/templates/${id}`)).json).toEqual({ ...json, env: {} });
  });

  test("T13: no update sets id, account, isPlatform, earned or runtimeInMin", async () => {
    const author = await server.key("manage");
    const id = await create({}, author);
    const before = (await server.get(`/v1/templates/${id}`)).json;
    const privileged = {
      id: "x",
      account: "x",
      isPlatform: true,
      earned: 1e9,
      runtimeInMin: 7,
      isRunpod: true,
    };
    for (const [method, path] of [
      ["PATCH", `/v1/templates/${id}`],
      ["POST", `/v1/templates/${id}/update`],
      ["PATCH", `/sdk/v1/templates/${id}`],
    ] as const) {
      expect((await server.call(method, path, privileged, author)).status).toBe(200);
      expect((await server.get(`/v1/templates/${id}`, author)).json).toEqual(before);
    }
    expect((await server.get("/v1/templates/x", author)).status).toBe(404);
  });

  test("if two take one name at the same time, one has it", async () => {
    for (let n = 0; n < 10; n++) {
      const [one, two] = [await create(), await create()];
      const name = crypto.randomUUID();
      const answers = await Promise.all(
        [one, two].map((id) => server.call("PATCH", `/v1/templates/${id}`, { name })),
      );
      const codes = answers.map(({ status, json }) => json.code ?? status);
      expect(codes.toSorted()).toEqual([200, "NAME_TAKEN"]);
      const { json } = await server.get("/v1/templates");
      expect(json.filter((template: { name: string }) => template.name === name)).toHaveLength(1);
    }
  });

  test("input 28: of 100 that are created at once with one name, one is created", async () => {
    const fields = wish();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => server.post("/v1/templates", fields)),
    );
    const codes = answers.map(({ status, json }) => json.code ?? status);
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code === "NAME_TAKEN")).toHaveLength(99);
  });

  describe("the list", () => {
    type Listed = { readonly id: string; readonly env: object };
    let names: Record<"mine" | "secret" | "open" | "official" | "hiddenOfficial", string>;
    let reader: Key;
    beforeAll(async () => {
      reader = await server.key("manage", { account: await server.account() });
      names = {
        mine: await create({}, reader),
        secret: await create({}, other),
        open: await create({ isPublic: true, env: { A: "secret" } }, other),
        official: await create({ isPublic: true, isPlatform: true }),
        hiddenOfficial: await create({ isPlatform: true }),
      };
    });

    /** Which of these a list has, in its order. */
    async function listed(query: string, path = "/v1/templates"): Promise<string[]> {
      const { status, json } = await server.get(`${path}${query}`, reader);
      expect(status).toBe(200);
      const known = Object.entries(names);
      return json.flatMap(({ id }: Listed) => known.find(([, its]) => its === id)?.[0] ?? []);
    }

    test("has the account's own, and nothing else unless it is asked for", async () => {
      expect(await listed("")).toEqual(["mine"]);
      const no = "includePublicTemplates=false&includeRunpodTemplates=false";
      expect(await listed(`?${no}&includeEndpointBoundTemplates=false`)).toEqual(["mine"]);
    });

    test("has what others made public with includePublicTemplates, without the values of env", async () => {
      expect(await listed("?includePublicTemplates=true")).toEqual(["mine", "open"]);
      expect(await listed("?includePublicTemplates=true", "/sdk/v1/templates")).toEqual(["mine", "open"]);
      const { text } = await server.get("/v1/templates?includePublicTemplates=true", reader);
      expect(text).not.toContain("secret");
    });

    test("has the operator's public ones with includeRunpodTemplates", async () => {
      expect(await listed("?includeRunpodTemplates=true")).toEqual(["mine", "official"]);
      const both = await listed("?includeRunpodTemplates=true&includePublicTemplates=true");
      expect([both[0], both.slice(1).toSorted()]).toEqual(["mine", ["official", "open"]]);
    });

    test("has those of others that endpoints are on with includeEndpointBoundTemplates", async () => {
      const query = "?includeEndpointBoundTemplates=true";
      expect(await listed(query)).toEqual(["mine"]);
      for (const templateId of [names.mine, names.open]) {
        await server.post("/v1/endpoints", { name: crypto.randomUUID(), templateId }, reader);
      }
      expect(await listed(query)).toEqual(["mine", "open"]);
      expect(await listed("")).toEqual(["mine"]);
      // Of what is public no longer nothing is shown, whoever is on it.
      await server.call("PATCH", `/v1/templates/${names.open}`, { isPublic: false }, other);
      expect(await listed(query)).toEqual(["mine"]);
    });

    test.each(["includePublicTemplates", "includeRunpodTemplates", "includeEndpointBoundTemplates"])(
      "refuses a %s that is neither true nor false",
      async (name) => {
        for (const value of ["", "1", "TRUE", "yes", "true&" + name + "=true"]) {
          const answer = await server.get(`/v1/templates?${name}=${value}`, reader);
          expect([answer.status, answer.json.code]).toEqual([400, "INVALID_QUERY"]);
          expect(answer.json.error).toStartWith(name);
        }
      },
    );
  });
});
