import { afterAll, beforeAll, describe, expect, test } from "bun:test";
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
});
