import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { RawConnection } from "../support/raw-connection.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

const BYTE_ORDER_MARK = "\ufeff";

describe("what other servers accept is accepted", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  beforeAll(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
  });
  afterAll(() => server.stop());

  const submit = (body: string, path = `/v2/${endpoint}/run`) => server.post(path, body);

  test("a byte order mark before a submission is skipped, and reaches no worker", async () => {
    const { status, json } = await submit(`${BYTE_ORDER_MARK}{"input":{"a":1}}`);
    expect(status).toBe(200);
    const taken = await worker.take();
    expect(taken.text).toBe(`{"id":"${json.id}","input":{"a":1}}`);
    await worker.done(json.id, `${BYTE_ORDER_MARK}{"output":{"b":2}}`);
    expect(await server.ended(endpoint, json.id)).toMatchObject({ status: "COMPLETED", output: { b: 2 } });
  });

  test("a byte order mark before the body of a management call is skipped", async () => {
    const { status, json } = await server.post("/v1/endpoints", `${BYTE_ORDER_MARK}{"name":"marked"}`);
    expect([status, json.name]).toEqual([200, "marked"]);
  });

  test.each(["/v1/endpoints", "/healthz", "/sdk/v1/templates", "/v1/openapi.json", "/console"])(
    "%s with a slash at its end is the same path",
    async (path) => {
      expect((await server.get(`${path}/`)).status).toBe(200);
    },
  );

  test("a slash at the end is the same path where an endpoint stands in it", async () => {
    const { status, json } = await submit('{"input":{}}', `/v2/${endpoint}/run/`);
    expect(status).toBe(200);
    expect((await server.get(`/v2/${endpoint}/status/${json.id}/`)).json.id).toBe(json.id);
    expect((await server.get(`/v1/endpoints/${endpoint}/`)).json.id).toBe(endpoint);
    await server.post(`/v2/${endpoint}/cancel/${json.id}/`);
  });

  test.each(["//", "/healthz//", "/v1/endpoints//"])("%s is no path", async (path) => {
    // fetch sends one slash for two.
    const connection = new RawConnection(server.url);
    connection.write(connection.head(`GET ${path}`));
    expect(await connection.answers(1)).toEqual([404]);
    connection.end();
  });

  test.each([
    ['"webhook":""', "an empty webhook"],
    ['"policy":{"ttl":null}', "a ttl of null"],
    ['"policy":{"executionTimeout":null,"lowPriority":null,"tags":null}', "a policy of nulls"],
  ])("%s means none: %s", async (member) => {
    const { status, json } = await submit(`{"input":{},${member}}`);
    expect(status).toBe(200);
    const { json: timeline } = await server.get(`/v1/endpoints/${endpoint}/jobs/${json.id}`);
    expect(timeline.webhook).toBeUndefined();
    await server.post(`/v2/${endpoint}/cancel/${json.id}`);
    expect((await server.get(`/v1/endpoints/${endpoint}/webhooks`)).json.webhooks).toEqual([]);
  });

  test.each(["", "/sdk"])("%s/v1/openapi.json is the OpenAPI document, without a key", async (dialect) => {
    const response = await fetch(`${server.url}${dialect}/v1/openapi.json`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe((await server.get(`${dialect}/openapi.json`)).text);
  });

  test.each([
    ['{"input":{"a":"\\ud800"}}', 15],
    ['{"input":{"a":"\\uDC00"}}', 15],
    ['{"input":{"a":"\\ude00\\ud83d"}}', 15],
    ['{"input":{"a":["\\ud83d\\ude00\\uD83D\\n"]}}', 28],
    ['{"input":{"\\ud83d":1}}', 11],
    ['{"input":{},"other":"\\ud83dude00"}', 21],
  ])("half of a character, which Python workers cannot send back, is refused: %s", async (body, place) => {
    for (const operation of ["run", "runsync", "openai/v1/chat/completions"]) {
      const { status, json } = await submit(body, `/v2/${endpoint}/${operation}`);
      expect(status).toBe(400);
      expect(json.error.message ?? json.error).toContain(`at byte ${place}. Send the whole character.`);
    }
    const sent = Buffer.from('{"input":{"a":"?"}}');
    // The same as raw bytes (CESU-8), which is not UTF-8.
    const raw = Buffer.concat([sent.subarray(0, 15), Buffer.from([0xed, 0xa0, 0x80]), sent.subarray(16)]);
    expect((await server.post(`/v2/${endpoint}/run`, raw)).status).toBe(400);
    expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue).toBe(0);
  });

  test("whole characters as escapes pass byte for byte, and results may have what they like", async () => {
    const input = '{"a":"\\ud83d\\ude00\\uD83D\\uDE00 \\\\ud800 \\u00e9"}';
    const { json } = await submit(`{"input":${input}}`);
    expect((await worker.take()).text).toBe(`{"id":"${json.id}","input":${input}}`);
    await worker.done(json.id, '{"output":"\\ud800"}');
    expect((await server.get(`/v2/${endpoint}/status/${json.id}`)).text).toContain('"output":"\\ud800"');
  });

  test.each([
    [
      "run",
      '{"input":{},"policy":{"ttl":20000,"executiontimeout":9000,"delay":5}}',
      "policy.executiontimeout, policy.delay",
    ],
    ["run", '{"input":{},"delay":5,"id":"own","priority":1}', "delay, id, priority"],
    ["run?wait=5000&priority=1", '{"input":{}}', "?wait, ?priority"],
    ["runsync?wait=1000&x=1", '{"input":{},"y":1}', "?x, y"],
    [
      "run",
      `{"input":{},"a\\r\\nx-evil: 1":1,"${"long".repeat(30)}":1}`,
      `a__x-evil__1, ${"long".repeat(16)}`,
    ],
  ])("%s of %s lists what it ignores: %s", async (operation, body, ignored) => {
    const { status, headers } = await submit(body, `/v2/${endpoint}/${operation}`);
    expect([status, headers.get("forebay-ignored"), headers.get("x-evil")]).toEqual([200, ignored, null]);
  });

  test("nothing is listed where all is understood", async () => {
    const body = '{"input":{"delay":1},"webhook":null,"policy":{"ttl":20000,"tags":[]},"s3Config":{"x":1}}';
    const { status, headers } = await submit(body, `/v2/${endpoint}/runsync?wait=1000`);
    expect([status, headers.get("forebay-ignored")]).toEqual([200, null]);
  });
});
