import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TriedServer } from "../../support/input-trial.ts";

describe("inputs 6, 7, 8 and 13: data that parsers change", () => {
  let tried: TriedServer;
  beforeAll(async () => {
    tried = await TriedServer.start();
  });
  afterAll(() => tried.stop());

  /** JSON goes to the worker as input, and back as output, error, progress and chunk, byte for byte. */
  const passes = (json: string): Promise<void> =>
    tried.trial(async ({ server, endpoint, worker }) => {
      expect((await server.post(`/v2/${endpoint}/run`, `{"input":{"a":${json}}}`)).status).toBe(200);
      const taken = await worker.take();
      const { id } = taken.json;
      expect(taken.text).toBe(`{"id":"${id}","input":{"a":${json}}}`);
      await worker.done(id, `{"status":"IN_PROGRESS","output":${json}}`);
      const path = `/v2/${endpoint}/status/${id}`;
      expect((await server.get(`/sdk${path}`)).text).toEndWith(`"output":${json}}`);
      await worker.stream(id, `{"output":${json}}`);
      expect((await server.get(`/v2/${endpoint}/stream/${id}`)).text).toBe(`[{"output":${json}}]`);
      await worker.done(id, `{"output":${json}}`);
      expect((await server.get(path)).text).toEndWith(`"output":${json}}`);
      return { completed: 1 };
    });

  test("input 6: names that pollute objects pass inside of input, and do nothing elsewhere", async () => {
    const trap = '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}';
    await passes(trap);
    await tried.trial(async ({ server, endpoint }) => {
      const members = trap.slice(1, -1);
      const submit = async (body: string): Promise<number> =>
        (await server.post(`/v2/${endpoint}/run`, body)).status;
      expect(await submit(`{"input":{},${members}}`)).toBe(200);
      expect(await submit(`{"input":{},"policy":${trap}}`)).toBe(200);
      expect(await submit(`{"input":{},"s3Config":${trap}}`)).toBe(200);
      const env = await server.post("/v1/templates", `{"name":"trap","imageName":"a/b:1","env":${trap}}`);
      expect([200, 400]).toContain(env.status);
      expect(Reflect.get({}, "x")).toBeUndefined();
      return { inQueue: 3 };
    });
  });

  test("input 7: duplicate members are refused where we read them, and pass where we do not", async () => {
    await passes('{"a":1,"a":2}');
    await tried.trial(async ({ server, endpoint }) => {
      for (const body of [
        '{"input":{},"input":{}}',
        '{"input":{},"\\u0069nput":{}}',
        '{"input":{},"webhook":"https://a.example/","webhook":"http://127.0.0.1/"}',
        '{"input":{},"policy":{"ttl":10000,"ttl":20000}}',
        '{"input":{},"x":1,"x":2}',
      ]) {
        const { status, json } = await server.post(`/v2/${endpoint}/run`, body);
        expect([body, status, json.code]).toEqual([body, 400, "INVALID_FIELD"]);
      }
      return {};
    });
  });

  test.each([
    ["numbers that no double holds", `[9007199254740993,1e999,-0,1.0,0.1e-400,${"9".repeat(400)}]`],
    ["members that look like indexes", '{"b":1,"10":2,"2":3}'],
    ["white space", '{ "a" :\t[ 1 ,\r\n2 ] }'],
  ])("input 8: %s pass byte for byte, both ways", (_name, json) => passes(json));

  test("input 8: a number longer than 65,536 digits is refused, and as a result ends its job", () =>
    tried.trial(async ({ server, endpoint, worker }) => {
      const number = "9".repeat(70_000);
      const refused = await server.post(`/v2/${endpoint}/run`, `{"input":{"a":${number}}}`);
      expect([refused.status, refused.json.code]).toEqual([400, "MALFORMED_JSON"]);
      const id = await server.run(endpoint);
      await worker.take();
      expect((await worker.done(id, `{"output":${number}}`)).status).toBe(200);
      expect(await server.status(endpoint, id)).toMatchObject({ status: "FAILED" });
      return { failed: 1 };
    }));

  test.each([
    ["NUL", '"\\u0000"'],
    ["an emoji as escapes", '"\\ud83d\\ude00"'],
    ["an emoji", '"😀"'],
    ["twins of one text, composed and not", '["\u00e9","e\u0301"]'],
  ])("input 13: %s passes byte for byte, both ways", (_name, json) => passes(json));

  test("input 13: NUL and lone surrogates in a template are refused or kept, never a fault", () =>
    tried.trial(async ({ server }) => {
      const create = (body: string) => server.post("/v1/templates", body);
      const nul = await create('{"name":"a\\u0000b","imageName":"a/b:1"}');
      expect([nul.status, nul.json.code]).toEqual([400, "INVALID_FIELD"]);
      const env = await create('{"name":"nul-env","imageName":"a/b:1","env":{"A":"\\u0000"}}');
      expect([env.status, env.json.code]).toEqual([400, "INVALID_FIELD"]);
      for (const [name, text] of Object.entries({ nul: "\\u0000", half: "\\ud800", emoji: "😀" })) {
        const body = `{"name":"readme-${name}","imageName":"a/b:1","readme":"${text}"}`;
        const { status, json } = await create(body);
        expect([200, 400]).toContain(status);
        if (status === 200) expect(json.readme).toBe(JSON.parse(`"${text}"`));
      }
      return {};
    }));
});
