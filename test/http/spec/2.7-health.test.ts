import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { OneEndpoint } from "./one-endpoint.ts";

describe("spec 2.7, the health record", () => {
  let at: OneEndpoint;
  beforeEach(async () => {
    at = await OneEndpoint.start();
  });
  afterEach(() => at.stop());

  const jobs = async () => (await at.get("health")).json.jobs;
  const workers = async () => (await at.get("health")).json.workers;

  test("2.7 jobs.completed: the jobs that have completed, also when their records are gone", async () => {
    expect(await jobs()).toEqual({ completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 });
    await at.jobIn("COMPLETED");
    const gone = await at.jobIn("COMPLETED");
    await at.get(`status/${gone}?ttl=1`);
    await at.clock.advance(1_000);
    expect((await at.get(`status/${gone}`)).status).toBe(404);
    expect(await jobs()).toEqual({ completed: 2, failed: 0, inProgress: 0, inQueue: 0, retried: 0 });
  });

  test("2.7 jobs.failed: those that have failed, and those that have timed out", async () => {
    await at.jobIn("FAILED");
    await at.jobIn("TIMED_OUT");
    await at.jobIn("CANCELLED");
    expect(await jobs()).toEqual({ completed: 0, failed: 2, inProgress: 0, inQueue: 0, retried: 0 });
  });

  test("2.7 jobs.inProgress: those that a worker has now", async () => {
    const job = await at.jobIn("IN_PROGRESS");
    await at.jobIn("IN_PROGRESS");
    expect(await jobs()).toEqual({ completed: 0, failed: 0, inProgress: 2, inQueue: 0, retried: 0 });
    await at.worker.done(job, { output: 1 });
    expect(await jobs()).toMatchObject({ inProgress: 1 });
  });

  test("2.7 jobs.inQueue: those that wait now", async () => {
    await at.submit();
    const job = await at.submit();
    expect(await jobs()).toEqual({ completed: 0, failed: 0, inProgress: 0, inQueue: 2, retried: 0 });
    await at.post(`cancel/${job}`);
    expect(await jobs()).toMatchObject({ inQueue: 1 });
  });

  test("2.7 jobs.retried: those that were retried, and those whose worker was lost", async () => {
    await at.post(`retry/${await at.jobIn("FAILED")}`);
    expect(await jobs()).toEqual({ completed: 0, failed: 1, inProgress: 0, inQueue: 1, retried: 1 });
    const { id } = (await at.worker.take()).json;
    await at.worker.ping([id]);
    await at.clock.advance(20_000);
    expect(await jobs()).toEqual({ completed: 0, failed: 1, inProgress: 0, inQueue: 1, retried: 2 });
  });

  test("2.7 workers.idle: live workers without a job", async () => {
    expect(await workers()).toMatchObject({ idle: 0, running: 0 });
    await at.worker.ping();
    await (await at.server.worker(at.id)).ping();
    expect(await workers()).toMatchObject({ idle: 2, running: 0, ready: 2 });
    await at.clock.advance(9_001);
    expect(await workers()).toMatchObject({ idle: 0, running: 0 });
  });

  test("2.7 workers.running: workers that hold a job, however many it has", async () => {
    await at.submit();
    await at.submit();
    await at.worker.takeBatch(2);
    await (await at.server.worker(at.id)).ping();
    expect(await workers()).toMatchObject({ idle: 1, running: 1 });
  });
});
