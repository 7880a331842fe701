import { describe, expect, test } from "bun:test";
import { freshWorker } from "../support/fresh-server.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

describe("cancel, retry and purge-queue change just the jobs that they name", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  const flags = { "stop-hold-ms": "300", "take-hold-ms": "2000" };
  freshWorker((fresh) => ({ server, endpoint, worker } = fresh), { flags });

  const cancel = (id: string) => server.post(`/v2/${endpoint}/cancel/${id}`);
  const retry = (id: string) => server.post(`/v2/${endpoint}/retry/${id}`);

  test("3 IN_QUEUE cancel, 4.A cancel: a waiting job is cancelled, and never handed out", async () => {
    const id = await server.run(endpoint);
    const next = await server.run(endpoint);
    expect((await cancel(id)).json).toEqual({ id, status: "CANCELLED" });
    expect((await worker.take()).json.id).toBe(next);
    expect(await server.status(endpoint, id)).toEqual({ id, status: "CANCELLED" });
  });

  test("3 IN_PROGRESS cancel, 4.A cancel: a running job is cancelled, and its worker notified", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    const told = worker.stops();
    expect((await cancel(id)).json).toEqual({ id, status: "CANCELLED" });
    expect((await told).json).toEqual({ jobsToStop: [id] });
  });

  test("the stop is sent again, after a pause, until the worker no longer has the job", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    await cancel(id);
    expect((await worker.stops()).json).toEqual({ jobsToStop: [id] });
    const told = performance.now();
    expect((await worker.stops()).json).toEqual({ jobsToStop: [id] });
    expect(performance.now() - told).toBeGreaterThan(250);
    expect((await worker.done(id, { output: "late" })).status).toBe(200);
    expect((await worker.stops()).status).toBe(204);
    expect((await worker.stops()).status).toBe(204);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "CANCELLED" });
  });

  test("design row 9: cancelling a finished job is 200 with its true state", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    await worker.done(id, { output: 1 });
    expect(await cancel(id)).toMatchObject({ status: 200, json: { id, status: "COMPLETED" } });
  });

  test("a retried job goes to the end of the queue", async () => {
    const failed = await server.run(endpoint);
    await worker.take();
    await worker.done(failed, { error: "no" });
    const waiting = await server.run(endpoint);
    await retry(failed);
    expect((await worker.take()).json.id).toBe(waiting);
    expect((await worker.take()).json.id).toBe(failed);
  });

  test.each(["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "CANCELLED"])(
    "3 rule 1: a job that is %s is not retried",
    async (state) => {
      const id = await server.run(endpoint);
      if (state !== "IN_QUEUE") await worker.take();
      if (state === "COMPLETED") await worker.done(id, { output: 1 });
      if (state === "CANCELLED") await cancel(id);
      const { status, json } = await retry(id);
      expect([status, json.code]).toEqual([400, "NOT_RETRYABLE"]);
      expect(await server.status(endpoint, id)).toMatchObject({ status: state });
    },
  );

  test("3 IN_QUEUE purge-queue: exactly the jobs that wait go, and running ones stay (P9)", async () => {
    const endpoint = await server.endpoint({ rateLimits: RAISED_LIMITS });
    const worker = await server.worker(endpoint);
    const running = await server.run(endpoint);
    await worker.take();
    const waiting = await Promise.all(Array.from({ length: 2_100 }, () => server.run(endpoint)));
    expect((await server.post(`/v2/${endpoint}/purge-queue`)).json).toEqual({
      removed: 2_100,
      status: "completed",
    });
    expect((await server.get(`/v2/${endpoint}/status/${waiting[0]}`)).status).toBe(404);
    expect((await server.post(`/v2/${endpoint}/purge-queue`)).json).toEqual({
      removed: 0,
      status: "completed",
    });
    await worker.done(running, { output: 1 });
    expect(await server.status(endpoint, running)).toMatchObject({ status: "COMPLETED" });
  });

  test.each([
    ["no body", undefined, undefined],
    ["an empty body with a JSON content type", "", { "content-type": "application/json" }],
    ["{}", "{}", { "content-type": "application/json" }],
  ])("reliability 5.16: cancel, retry and purge-queue take %s", async (_name, body, headers) => {
    const id = await server.run(endpoint);
    expect((await server.call("POST", `/v2/${endpoint}/cancel/${id}`, body, headers)).status).toBe(200);
    expect((await server.call("POST", `/v2/${endpoint}/purge-queue`, body, headers)).status).toBe(200);
    expect((await server.call("POST", `/v2/${endpoint}/retry/${id}`, body, headers)).json.code).toBe(
      "NOT_RETRYABLE",
    );
  });
});
