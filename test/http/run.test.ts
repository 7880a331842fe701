import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { TestServer } from "../support/test-server.ts";

describe("run", () => {
  let server: TestServer;
  let endpoint: string;
  beforeEach(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
  });
  afterEach(() => server.stop());

  test("answers id and IN_QUEUE at once, and nothing else", async () => {
    const { status, json } = await server.post(`/v2/${endpoint}/run`, { input: { a: 1 } });
    expect(status).toBe(200);
    expect(json).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}-u1$/), status: "IN_QUEUE" });
  });

  test("the job reaches a worker with its input as sent, and its result the client", async () => {
    const body = '{"input":{"n":9007199254740993, "x":1.0,"é":"\\ud800"}}';
    const { json: submitted } = await server.post(`/v2/${endpoint}/run`, body);
    const worker = await server.worker(endpoint);
    const taken = await worker.take();
    expect(taken.text).toBe(`{"id":"${submitted.id}",${body.slice(1)}`);
    await worker.done(submitted.id, '{"output":{"big":1e999}}');
    const { text } = await server.get(`/v2/${endpoint}/status/${submitted.id}`);
    expect(text).toContain('"output":{"big":1e999}');
    expect(text).toContain('"status":"COMPLETED"');
  });
});
