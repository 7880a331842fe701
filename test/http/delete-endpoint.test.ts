import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const GRACE = 1_000;
const FLAGS = { "drain-grace-ms": String(GRACE), "ping-interval-ms": "100" };

describe("decision 0006: DELETE of an endpoint drains it", () => {
  let server: TestServer;
  let endpoint: string;
  let record: string;
  beforeEach(async () => {
    server = await TestServer.start({ flags: FLAGS });
    endpoint = await server.endpoint({ name: "drained" });
    record = `/v1/endpoints/${endpoint}`;
  });
  afterEach(() => server.stop());

  const inQueue = async () => (await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue;
  const isGone = () => server.forebay.engine.configuration.get("endpoint", endpoint) === undefined;

  test("new calls get 404 at once, on every path, and its name is free, while a job still runs", async () => {
    const worker = await server.worker(endpoint);
    const job = await server.run(endpoint);
    await worker.take();
    expect((await server.call("DELETE", record)).status).toBe(204);
    for (const [method, path] of [
      ["POST", `/v2/${endpoint}/run`],
      ["POST", `/v2/${endpoint}/runsync`],
      ["GET", `/v2/${endpoint}/status/${job}`],
      ["POST", `/v2/${endpoint}/cancel/${job}`],
      ["POST", `/v2/${endpoint}/purge-queue`],
      ["GET", `/v2/${endpoint}/health`],
      ["GET", record],
      ["PATCH", record],
      ["DELETE", record],
      ["POST", `${record}/workers`],
    ] as const) {
      const body = path.includes("/run") ? { input: {} } : undefined;
      const { status, json } = await server.call(method, path, body);
      expect([method, path, status, json.code]).toEqual([method, path, 404, "ENDPOINT_NOT_FOUND"]);
    }
    expect((await server.get("/v1/endpoints")).json).toEqual([]);
    expect((await server.post("/v1/endpoints", { name: "drained" })).status).toBe(200);
    expect(isGone()).toBe(false);
    await worker.done(job, { output: 1 });
    await until("it is gone", isGone);
  });

  test("a job that runs ends within the grace, and whoever waits for it gets its result", async () => {
    const worker = await server.worker(endpoint);
    const runsync = server.post(`/v2/${endpoint}/runsync`, { input: {} });
    const { id } = (await until("it was submitted", async () => (await worker.take()).json)) ?? {};
    const statusSync = server.get(`/v2/${endpoint}/status-sync/${id}?wait=60000`);
    const { engine } = server.forebay;
    await server.call("DELETE", record);
    // It is not stopped, and gets no other job.
    expect((await worker.ping([id])).status).toBe(200);
    expect((await worker.done(id, { output: "whole" })).status).toBe(200);
    expect((await runsync).json).toMatchObject({ id, status: "COMPLETED", output: "whole" });
    expect((await statusSync).json).toMatchObject({ status: "COMPLETED", output: "whole" });
    await until("it is gone", isGone);
    expect((await worker.ping()).json.code).toBe("KEY_UNKNOWN");
    await until("its tokens are gone", () => engine.configuration.all("worker").length === 0);
  });

  test("jobs that wait are removed, and whoever waits for one is answered", async () => {
    const waiting = await server.run(endpoint);
    const runsync = server.post(`/v2/${endpoint}/runsync`, { input: {} });
    const stream = server.get(`/v2/${endpoint}/stream/${waiting}?wait=60000`);
    const statusSync = server.get(`/v2/${endpoint}/status-sync/${waiting}?wait=60000`);
    await until("both jobs wait", async () => (await inQueue()) === 2);
    expect((await server.call("DELETE", record)).status).toBe(204);
    expect((await runsync).json).toMatchObject({ status: "CANCELLED", error: "removed with its endpoint" });
    expect((await stream).status).toBe(404);
    expect((await statusSync).status).toBe(404);
    await until("it is gone", isGone);
  });

  test("what still runs after the grace is cancelled, and its worker is asked to stop", async () => {
    const worker = await server.worker(endpoint);
    const runsync = server.post(`/v2/${endpoint}/runsync`, { input: {} });
    const { id } = (await until("it was submitted", async () => (await worker.take()).json)) ?? {};
    const stops = worker.stops();
    const deletedAt = performance.now();
    await server.call("DELETE", record);
    const pinging = setInterval(() => void worker.ping([id]), 100);
    expect((await runsync).json).toMatchObject({ id, status: "CANCELLED" });
    expect(performance.now() - deletedAt).toBeGreaterThanOrEqual(GRACE - 50);
    expect((await stops).json.jobsToStop).toEqual([id]);
    clearInterval(pinging);
    await until("it is gone", isGone);
  });

  test("a job whose worker dies meanwhile is not handed out again", async () => {
    // The endpoint is gone long before the grace is over: with the job that its worker has lost.
    const leases = { "worker-lease-ms": "1300", "delivery-lease-ms": "1300", "take-hold-ms": "100" };
    const patient = await TestServer.start({ flags: { ...FLAGS, ...leases, "drain-grace-ms": "600000" } });
    const endpoint = await patient.endpoint();
    const [worker, other] = [await patient.worker(endpoint), await patient.worker(endpoint)];
    const { configuration } = patient.forebay.engine;
    await patient.run(endpoint);
    const { id } = (await worker.take()).json;
    await worker.ping([id]);
    expect((await patient.call("DELETE", `/v1/endpoints/${endpoint}`)).status).toBe(204);
    await until("it is gone", async () => {
      const { status } = await other.take();
      expect([204, 401]).toContain(status);
      return configuration.get("endpoint", endpoint) === undefined;
    });
    await patient.stop();
  });

  test("a deletion and submissions at once: none is left behind", async () => {
    const [deleted, ...runs] = await Promise.all([
      server.call("DELETE", record),
      ...Array.from({ length: 20 }, () => server.post(`/v2/${endpoint}/run`, { input: {} })),
    ]);
    expect(deleted?.status).toBe(204);
    for (const { status } of runs) expect([200, 404]).toContain(status);
    await until("it is gone", isGone);
    expect((await server.forebay.engine.store.queues()).map((queue) => queue.endpoint)).toEqual([]);
  });

  test("deletions at once: one is done, and the others say that it is gone", async () => {
    const worker = await server.worker(endpoint);
    await server.run(endpoint);
    await worker.take();
    const answers = await Promise.all(Array.from({ length: 5 }, () => server.call("DELETE", record)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([204, 404, 404, 404, 404]);
    expect((await server.get("/v1/endpoints")).json).toEqual([]);
  });
});

test("decision 0006: a deletion outlives a stop of the server, and goes on at its next start", async () => {
  await using directory = await temporaryDirectory();
  const flags = { ...FLAGS, data: directory.path };
  const first = await TestServer.start({ flags: { ...flags, "drain-grace-ms": "3600000" } });
  const endpoint = await first.endpoint();
  const worker = await first.worker(endpoint);
  await first.run(endpoint);
  await worker.take();
  await first.call("DELETE", `/v1/endpoints/${endpoint}`);
  await first.stop();

  const second = await TestServer.start({ flags });
  const { configuration } = second.forebay.engine;
  expect((await second.get(`/v1/endpoints/${endpoint}`)).status).toBe(404);
  await until("it is gone", () => configuration.get("endpoint", endpoint) === undefined);
  await until("its tokens are gone", () => configuration.all("worker").length === 0);
  await second.stop();
});
