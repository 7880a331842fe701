import { describe, expect, test } from "bun:test";
import { freshWorker } from "../support/fresh-server.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

describe("the public worker protocol", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  const flags = { "take-hold-ms": "300" };
  freshWorker((fresh) => ({ server, endpoint, worker } = fresh), { flags });

  test("the environment has every variable that the public worker SDK reads", () => {
    const base = `${server.url}/v2/${endpoint}`;
    expect(worker.env).toMatchObject({
      RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?gpu=x`,
      RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?gpu=x`,
      RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/$RUNPOD_POD_ID/$ID?gpu=x`,
      RUNPOD_WEBHOOK_PING: `${base}/ping/$RUNPOD_POD_ID?gpu=x`,
      RUNPOD_PING_INTERVAL: "3000",
      RUNPOD_AI_API_KEY: expect.stringMatching(/^fbw_/),
      RUNPOD_POD_ID: worker.id,
      RUNPOD_ENDPOINT_ID: endpoint,
    });
  });

  test("job-take without a job is held, then 204", async () => {
    const startedAt = performance.now();
    expect((await worker.take()).status).toBe(204);
    expect(performance.now() - startedAt).toBeGreaterThan(290);
  });

  test("a held job-take gets the job that comes", async () => {
    const held = worker.take();
    const { parkedTakes } = server.forebay.engine;
    await until("it is held", () => parkedTakes.endpoints().includes(endpoint));
    const id = await server.run(endpoint, { a: 1 });
    const { status, headers, json } = await held;
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(json).toEqual({ id, input: { a: 1 } });
  });

  test("the whole job reaches the worker: unknown members and s3Config as sent", async () => {
    const members =
      '"webhook":"https://a.example/hook","policy":{"ttl":20000},"webhookV2":"x","n":1.0,"id":"mine"';
    const s3Config =
      '{"accessId":"a","accessSecret":"s", "bucketName":"b","endpointUrl":"u","objectPath":"p"}';
    const { json } = await server.post(
      `/v2/${endpoint}/run`,
      `{"input":{},${members},"s3Config":${s3Config}}`,
    );
    const taken = await worker.take();
    expect(taken.json).toEqual({
      id: json.id,
      input: {},
      webhook: "https://a.example/hook",
      policy: { ttl: 20_000 },
      webhookV2: "x",
      n: 1,
      s3Config: { accessId: "a", accessSecret: "s", bucketName: "b", endpointUrl: "u", objectPath: "p" },
    });
    expect(taken.text).toContain(s3Config);
    expect(taken.text).toContain('"n":1.0');
    expect((await server.get(`/v2/${endpoint}/status/${json.id}`)).text).not.toContain("accessSecret");
  });

  test("job-take-batch answers what is there at once, at most batch_size, else 204", async () => {
    const ids = [await server.run(endpoint), await server.run(endpoint), await server.run(endpoint)];
    const first = await worker.takeBatch(2);
    expect(first.json.map((job: { id: string }) => job.id)).toEqual(ids.slice(0, 2));
    const second = await worker.takeBatch(5, 1);
    expect(second.json.map((job: { id: string }) => job.id)).toEqual(ids.slice(2));
    expect((await worker.takeBatch(5, 1)).status).toBe(204);
  });

  test.each(["0", "-1", "1e9", "NaN", "1001"])("reliability 5.27: batch_size=%s is refused", async (size) => {
    const address = worker.env["RUNPOD_WEBHOOK_GET_JOB"]?.replace(
      "job-take/$ID",
      `job-take-batch/${worker.id}`,
    );
    const { status } = await fetch(`${address}&batch_size=${size}&job_in_progress=0`, {
      headers: { authorization: worker.env["RUNPOD_AI_API_KEY"] ?? "" },
    });
    expect(status).toBe(400);
  });

  const results: [name: string, body: string, record: Record<string, unknown>][] = [
    ["an output", '{"output":{"a":1}}', { status: "COMPLETED", output: { a: 1 } }],
    ["an output of null", '{"output":null}', { status: "COMPLETED", output: null }],
    ["an empty list of a generator", '{"output":[]}', { status: "COMPLETED", output: [] }],
    ["nothing", "{}", { status: "COMPLETED" }],
    ["an empty error", '{"error":""}', { status: "COMPLETED" }],
    ["a null error", '{"error":null,"output":1}', { status: "COMPLETED", output: 1 }],
    ["an error", '{"error":"no"}', { status: "FAILED", error: "no" }],
    ["an error as an object", '{"error":{"a": [1]}}', { status: "FAILED", error: '{"a": [1]}' }],
    ["an error as a list", '{"error":["no"]}', { status: "FAILED", error: '["no"]' }],
    ["an error beside an output", '{"output":1,"error":"no"}', { status: "FAILED", error: "no" }],
  ];
  test.each(results)("a result with %s: %s", async (_name, body, record) => {
    const id = await server.run(endpoint);
    await worker.take();
    expect((await worker.done(id, body)).status).toBe(200);
    expect(await server.status(endpoint, id)).toEqual({
      id,
      delayTime: expect.any(Number),
      executionTime: expect.any(Number),
      workerId: worker.id,
      ...record,
    });
  });

  test.each([
    ["is not JSON", "nonsense", "is not JSON"],
    ["is empty", "", "is not JSON"],
    ["is not an object", "[1]", "must be a JSON object"],
    ["is too large", JSON.stringify({ output: "x".repeat(26 * 1_048_576) }), "larger than"],
  ])("R25: a result that %s ends its job FAILED at once, with the reason", async (_name, body, reason) => {
    const id = await server.run(endpoint);
    await worker.take();
    expect((await worker.done(id, body)).status).toBe(200);
    const record = await server.status(endpoint, id);
    expect(record.status).toBe("FAILED");
    expect(record.error).toContain("the result could not be kept");
    expect(record.error).toContain(reason);
  });

  test("R14: progress on the path of results does not end the job; the SDKs see it as output", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    await worker.done(id, '{"status":"IN_PROGRESS","output":{"step": 1}}');
    expect(await server.status(endpoint, id)).toEqual({
      id,
      status: "IN_PROGRESS",
      delayTime: expect.any(Number),
      workerId: worker.id,
    });
    expect((await server.get(`/sdk/v2/${endpoint}/status/${id}`)).json.output).toEqual({ step: 1 });
    await worker.done(id, { output: 2 });
    expect((await server.get(`/sdk/v2/${endpoint}/status/${id}`)).json.output).toBe(2);
  });

  test("late, duplicate and foreign results are answered 200, counted, and change nothing", async () => {
    const other = await server.worker(endpoint);
    const id = await server.run(endpoint);
    await worker.take();
    expect((await other.done(id, { output: "foreign" })).status).toBe(200);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_PROGRESS" });
    await worker.done(id, { output: "right" });
    expect((await worker.done(id, { output: "again" })).status).toBe(200);
    expect((await worker.done("no-such-job", { output: 1 })).status).toBe(200);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "COMPLETED", output: "right" });
    expect((await server.forebay.engine.store.counts(endpoint))?.ignored).toBe(3);
  });

  test("eight workers with one token are told apart by the id in the path", async () => {
    const workers = await server.workers(endpoint, 8);
    const ids = await Promise.all(workers.map(() => server.run(endpoint)));
    const taken = await Promise.all(workers.map((one) => one.take()));
    expect(taken.map((answer) => answer.json.id).toSorted()).toEqual(ids.toSorted());
    const [first, second] = workers;
    await second?.done(taken[0]?.json.id, { output: "not mine" });
    expect(await server.status(endpoint, taken[0]?.json.id)).toMatchObject({ status: "IN_PROGRESS" });
    await first?.done(taken[0]?.json.id, { output: "mine" });
    expect(await server.status(endpoint, taken[0]?.json.id)).toMatchObject({
      status: "COMPLETED",
      output: "mine",
    });
    expect((await server.get(`/v2/${endpoint}/health`)).json.workers).toMatchObject({ running: 7, idle: 1 });
  });

  test("ping is answered 200, with and without jobs", async () => {
    expect((await worker.ping()).status).toBe(200);
    expect((await worker.ping(["a", "b"])).status).toBe(200);
  });

  test("a token opens only the worker routes of its own endpoint", async () => {
    const elsewhere = await server.endpoint();
    const token = worker.env["RUNPOD_AI_API_KEY"] ?? "";
    const headers = { authorization: token };
    expect((await server.get(`/v2/${elsewhere}/job-take/${worker.id}`, headers)).json.code).toBe(
      "KEY_NOT_ALLOWED",
    );
    expect((await server.get(`/v2/${endpoint}/status/x`, headers)).json.code).toBe("KEY_NOT_ALLOWED");
    expect((await server.get(`/v2/${endpoint}/job-take/${worker.id}`)).json.code).toBe("KEY_NOT_ALLOWED");
  });
});
