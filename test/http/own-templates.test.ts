import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Answer } from "../support/answer.ts";
import { createTemplate } from "../../src/engine/records/templates.ts";
import { TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";

type Key = { authorization: string };

const FIELDS = { type: "QUEUE", scaling: { type: "QUEUE_DELAY", queueDelay: 4 } };
const SECRET = { name: "base", imageName: "team/worker:1", env: { TOKEN: "s3cr3t" } };

describe("the template that an endpoint of v2 has for itself", () => {
  let server: TestServer;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock();
    server = await TestServer.start({ clock });
  });
  afterEach(() => server.stop());

  const create = async (fields: object): Promise<string> =>
    (await server.post("/v2/serverless", { name: "chat", ...FIELDS, ...fields })).json.id;
  const change = (id: string, fields: object, key?: Key): Promise<Answer> =>
    server.call("PATCH", `/v2/serverless/${id}`, fields, key);
  const ownTemplates = async (): Promise<string[]> =>
    (await server.get("/v1/templates")).json
      .map(({ id }: { id: string }) => id)
      .filter((id: string) => id.includes("-"));

  test.each([
    [{ image: "evil/worker" }],
    [{ args: "env" }],
    [{ disk: 10 }],
    [{ ports: ["80/http"] }],
    [{ registry: null }],
  ])(
    "T4: a key bound to the endpoint cannot copy a template with %j, so it reads no variables",
    async (wish) => {
      const templateId = (await server.post("/v1/templates", SECRET)).json.id;
      const id = await create({ image: "team/worker:1" });
      const bound = await server.key("manage", { endpoints: [id] });
      const both = await change(id, { templateId, ...wish }, bound);
      expect([both.status, both.json.code]).toEqual([403, "KEY_NOT_ALLOWED"]);
      const first = await change(id, { templateId }, bound);
      const second = await change(id, wish, bound);
      expect([second.status, second.json.code]).toEqual([403, "KEY_NOT_ALLOWED"]);
      for (const { text } of [both, first, second]) expect(text).not.toContain("s3cr3t");
      expect((await server.get(`/v2/serverless/${id}`, bound)).json).toMatchObject({
        image: "team/worker:1",
        env: {},
      });
    },
  );

  test("a key bound to the endpoint changes what it can change under v1", async () => {
    const id = await create({ image: "team/worker:1" });
    const bound = await server.key("manage", { endpoints: [id] });
    const { status, json } = await change(id, { workers: { max: 2 }, env: { A: "1" } }, bound);
    expect([status, json.workers.max, json.env]).toEqual([200, 2, { A: "1" }]);
  });

  test.each([
    [{ image: "team/worker:2" }, { disk: 11 }],
    [{ image: "team/worker:2" }, { env: { A: "2" } }],
    [{ image: "team/worker:2" }, { workers: { max: 7 } }],
  ])("of %j and %j at the same time, each change is kept or answered CHANGED_MEANWHILE", async (a, b) => {
    const changes = [a, b];
    const id = await create({ image: "team/worker:1", env: { A: "1" } });
    const answers = await Promise.all(changes.map((wish) => change(id, wish)));
    const { json } = await server.get(`/v2/serverless/${id}`);
    const kept = answers.map(({ status }, index) => (status === 200 ? changes[index] : {}));
    expect(json).toMatchObject(Object.assign({}, ...kept));
    expect(answers.map(({ status }) => status)).toContain(200);
    for (const { status, json: problem } of answers)
      if (status !== 200) expect(problem.code).toBe("CHANGED_MEANWHILE");
    expect(await ownTemplates()).toHaveLength(1);
  });

  test("the variables of copied templates grow to 1 MB at most", async () => {
    const part = (name: string) =>
      Object.fromEntries([0, 1, 2, 3].map((n) => [`${name}${n}`, "x".repeat(120_000)]));
    const ids: string[] = [];
    for (const name of ["A", "B", "C"]) {
      const fields = { name, imageName: "team/worker:1", env: part(name) };
      ids.push((await server.post("/v1/templates", fields)).json.id);
    }
    const [first, second, third] = ids;
    const id = await create({ templateId: first, disk: 10 });
    expect((await change(id, { templateId: second, disk: 10 })).status).toBe(200);
    const { status, json } = await change(id, { templateId: third, disk: 10 });
    expect([status, json.code]).toEqual([422, "INVALID_FIELD"]);
    expect(json.detail).toStartWith("env: the variables of the template and of the endpoint have 14");
    expect((await server.get(`/v2/serverless/${id}`)).json.env).toEqual({ ...part("A"), ...part("B") });
    expect(await ownTemplates()).toHaveLength(1);
  });

  /** A minute passes, and the background job has run. */
  const minute = () => clock.advance(61_000);

  test("is deleted after v1 has moved the endpoint to another template", async () => {
    const templateId = (await server.post("/v1/templates", SECRET)).json.id;
    const id = await create({ image: "team/worker:1" });
    await server.call("PATCH", `/v1/endpoints/${id}`, { templateId });
    await minute();
    expect(await ownTemplates()).toEqual([]);
    expect((await server.get(`/v2/serverless/${id}`)).json).toMatchObject({ templateId });
  });

  test("is deleted after another endpoint on it is deleted as well", async () => {
    const id = await create({ image: "team/worker:1" });
    const [own = ""] = await ownTemplates();
    const other = await server.endpoint({ templateId: own });
    await server.call("DELETE", `/v2/serverless/${id}`);
    await minute();
    expect(await ownTemplates()).toEqual([own]);
    await server.call("DELETE", `/v2/serverless/${other}`);
    await minute();
    expect(await ownTemplates()).toEqual([]);
  });

  test("is deleted a minute after a call that was cut off before it wrote the endpoint", async () => {
    const id = await create({ image: "team/worker:1" });
    const [own = ""] = await ownTemplates();
    const left = `${id}-left`;
    const fields = { ...TEMPLATE_DEFAULTS, id: left, name: left, imageName: "team/worker:2" };
    await createTemplate(server.forebay.engine, "default", fields);
    await clock.advance(50_000);
    expect(await ownTemplates()).toContain(left);
    await minute();
    expect(await ownTemplates()).toEqual([own]);
  });
});
