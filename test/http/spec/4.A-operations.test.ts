import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { OneEndpoint } from "./one-endpoint.ts";

describe("spec 4.A, the operations of the queue API", () => {
  let at: OneEndpoint;
  beforeEach(async () => {
    at = await OneEndpoint.start();
  });
  afterEach(() => at.stop());

  test("4.A base path, 9 rule 1: each operation is below /v2/{endpoint}, and asks for a key", async () => {
    const job = await at.jobIn("IN_QUEUE");
    for (const [method, operation] of [
      ["POST", "runsync?wait=1000"],
      ["POST", "run"],
      ["GET", `status/${job}`],
      ["GET", `stream/${job}`],
      ["POST", `cancel/${job}`],
      ["POST", `retry/${job}`],
      ["POST", "purge-queue"],
      ["GET", "health"],
    ] as const) {
      const call = (path: string): Promise<Response> => fetch(`${at.server.url}${path}`, { method });
      const unauthorized = await call(`/v2/${at.id}/${operation}`);
      expect([operation, unauthorized.status]).toEqual([operation, 401]);
      for (const base of [`/v1/${at.id}`, `/v3/${at.id}`, `/${at.id}`]) {
        expect((await at.server.call(method, `${base}/${operation}`)).json).toMatchObject({
          code: "ROUTE_NOT_FOUND",
          status: 404,
        });
      }
    }
    expect(await at.status(job)).toEqual({ id: job, status: "IN_QUEUE" });
  });

  test("4.A runsync: answers the record once the job is completed, and not before", async () => {
    const answer = at.post("runsync", { input: {} });
    const { json: job } = await at.worker.take();
    expect(await at.status(job.id)).toMatchObject({ status: "IN_PROGRESS" });
    await at.clock.advance(1_000);
    await at.worker.done(job.id, { output: { text: "hi" } });
    const { status, json } = await answer;
    expect(status).toBe(200);
    expect(json).toEqual({
      id: job.id,
      status: "COMPLETED",
      delayTime: 0,
      executionTime: 1_000,
      workerId: at.worker.id,
      output: { text: "hi" },
    });
  });

  test("4.A runsync wait: how long the call is held, 1000 to 300000 ms, 90000 without it", async () => {
    for (const [query, ms] of [
      ["?wait=1000", 1_000],
      ["?wait=300000", 300_000],
      ["", 90_000],
    ] as const) {
      let isAnswered = false;
      const answer = at.post(`runsync${query}`, { input: {} });
      void answer.then(() => (isAnswered = true));
      await at.untilQueued(1);
      await at.clock.standStill(ms - 1);
      await at.get("health");
      expect([query, isAnswered]).toEqual([query, false]);
      await at.clock.advance(1);
      const { status, json } = await answer;
      expect([status, json.status]).toEqual([200, "IN_QUEUE"]);
      await at.post("purge-queue");
    }
  });

  test("4.A runsync content-type: application/json; any other one counts as that", async () => {
    const body = '{"input":{}}';
    const answer = at.post("runsync?wait=1000", body, { "content-type": "application/json" });
    await at.untilQueued(1);
    await at.clock.advance(1_000);
    expect((await answer).status).toBe(200);
    const form = at.post("runsync?wait=1000", body, { "content-type": "application/x-www-form-urlencoded" });
    await at.untilQueued(2);
    await at.clock.advance(1_000);
    expect((await form).status).toBe(200);
  });

  test("4.A run: answers id and IN_QUEUE at once, whoever waits for a job", async () => {
    const { status, json } = await at.post("run", { input: {} });
    expect([status, json]).toEqual([200, { id: expect.any(String), status: "IN_QUEUE" }]);
    await at.worker.take();
    const waiting = at.worker.take(1);
    await at.server.get("/healthz");
    const second = await at.post("run", { input: {} });
    expect(second.json.status).toBe("IN_QUEUE");
    expect((await waiting).json.id).toBe(second.json.id);
  });

  test("4.A status: the record as it is, with the output once it is completed", async () => {
    const job = await at.submit();
    expect((await at.get(`status/${job}`)).json).toEqual({ id: job, status: "IN_QUEUE" });
    await at.clock.advance(100);
    await at.worker.take();
    const running = { id: job, status: "IN_PROGRESS", delayTime: 100, workerId: at.worker.id };
    expect((await at.get(`status/${job}`)).json).toEqual(running);
    await at.clock.advance(200);
    await at.worker.done(job, { output: ["x"] });
    const { status, json } = await at.get(`status/${job}`);
    expect(status).toBe(200);
    expect(json).toEqual({ ...running, status: "COMPLETED", executionTime: 200, output: ["x"] });
  });

  test("4.A status ttl: an unfinished job times out that long from now", async () => {
    const job = await at.submit();
    await at.clock.advance(5_000);
    expect((await at.get(`status/${job}?ttl=6000`)).json).toEqual({ id: job, status: "IN_QUEUE" });
    await at.clock.advance(5_999);
    expect(await at.status(job)).toMatchObject({ status: "IN_QUEUE" });
    await at.clock.advance(1_000);
    expect(await at.status(job)).toMatchObject({ status: "TIMED_OUT", error: "ttl exceeded" });
  });

  test("4.A status ttl: the record of a finished job goes then, and never later than it would", async () => {
    const job = await at.jobIn("COMPLETED");
    await at.get(`status/${job}?ttl=604800000`);
    await at.get(`status/${job}?ttl=6000`);
    await at.clock.advance(5_999);
    expect((await at.get(`status/${job}`)).status).toBe(200);
    await at.clock.advance(1_000);
    expect((await at.get(`status/${job}`)).status).toBe(404);
    const kept = await at.jobIn("COMPLETED");
    await at.get(`status/${kept}?ttl=604800000`);
    await at.clock.standStill(30 * 60_000);
    await at.clock.advance(1_000);
    expect((await at.get(`status/${kept}`)).status).toBe(404);
  });

  test("4.A health: counts of jobs and workers", async () => {
    const { status, json } = await at.get("health");
    expect(status).toBe(200);
    expect(json).toEqual({
      jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
      workers: { idle: 0, running: 0, ready: 0, initializing: 0, throttled: 0, unhealthy: 0 },
    });
  });
});
