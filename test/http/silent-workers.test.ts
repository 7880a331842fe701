import { afterEach, beforeEach, expect, test } from "bun:test";
import { sweepDeadlines, sweepSilentWorkers } from "../../src/engine/sweep.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";
import { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

const SECOND = 1_000;

let clock: ManualClock;
let server: TestServer;
let endpoint: string;
let shared: Record<string, string>;
beforeEach(async () => {
  clock = new ManualClock();
  server = await TestServer.start({ clock });
  endpoint = await server.endpoint();
  shared = (await server.post(`/v1/endpoints/${endpoint}/workers`, { many: true })).json.env;
});
afterEach(() => server.stop());

/** A worker as the public SDK runs it without RUNPOD_POD_ID: it makes up an id, and never pings. */
const silent = (id = "0f7a") => new TestWorker(shared, id);
const statusOf = async (id: string) => (await server.status(endpoint, id)).status;
const engine = () => server.forebay.engine;
async function sweep(): Promise<void> {
  await sweepDeadlines(engine(), false);
  await sweepSilentWorkers(engine());
}

test("a silent worker, as SDK 1.6 and 1.7: a job of minutes is handed out once and COMPLETED", async () => {
  const id = await server.run(endpoint);
  const worker = silent();
  expect((await worker.take()).json.id).toBe(id);
  await clock.advance(300 * SECOND);
  await sweep();
  expect(await statusOf(id)).toBe("IN_PROGRESS");
  await worker.done(id, { output: 1 });
  const record = await server.status(endpoint, id);
  expect(record).toMatchObject({ status: "COMPLETED", output: 1, executionTime: 300 * SECOND });
  expect(record).not.toHaveProperty("retries");
});

test("a silent worker that cannot send its result: the job is FAILED at the third loss", async () => {
  const id = await server.run(endpoint);
  const worker = silent();
  for (let run = 0; run < 3; run++) {
    expect((await worker.take()).json.id).toBe(id);
    await clock.advance(SECOND);
  }
  const held = worker.take();
  await until("the job has ended", async () => (await statusOf(id)) === "FAILED");
  const record = await server.status(endpoint, id);
  expect(record).toMatchObject({ error: expect.stringMatching(/lost 3 times.*sent no result$/) });
  await clock.advance(20 * SECOND);
  expect((await held).status).toBe(204);
});

test("a worker that has a job keeps its stop call open, which returns a cancel", async () => {
  const id = await server.run(endpoint);
  const worker = silent();
  await worker.take();
  const stops = worker.stops();
  for (let time = 0; time < 10; time++) await clock.advance(3 * SECOND);
  await server.post(`/v2/${endpoint}/cancel/${id}`);
  expect((await stops).json).toEqual({ jobsToStop: [id] });
});

for (const kind of ["silent", "with a token of its own, whose pings go on"] as const) {
  test(`R22: a killed worker, ${kind}: its stop call breaks, and its job is a loss 9 s later`, async () => {
    const worker = kind === "silent" ? silent() : await server.worker(endpoint);
    const id = await server.run(endpoint);
    await worker.take();
    const killed = new AbortController();
    const stops = worker.stops(killed.signal).catch(() => undefined);
    await until("its stop call is open", () => engine().openCalls.size === 1);
    killed.abort();
    await stops;
    await until("the server has seen it", () => engine().openCalls.size === 0);
    await until("it is written", async () => {
      return (await engine().store.workers(endpoint, 0)).some(({ hasHungUp }) => hasHungUp);
    });
    for (let heartbeat = 0; heartbeat < 4; heartbeat++) {
      await clock.advance(3 * SECOND);
      if (kind !== "silent") await worker.ping([id]);
      await sweep();
    }
    expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_QUEUE", retries: 1 });
    const { workers } = (await server.get(`/v1/endpoints/${endpoint}/workers`)).json;
    if (kind !== "silent")
      expect(workers).toMatchObject([
        { state: "UNHEALTHY", reason: expect.stringMatching(/sends only heartbeats/) },
      ]);
  });
}

test("a worker that lists a job for 60 s after its end is UNHEALTHY until it lists it no more", async () => {
  const worker = await server.worker(endpoint);
  const id = await server.run(endpoint);
  await worker.take();
  await worker.done(id, { output: 1 });
  const stateOf = async () => (await server.get(`/v1/endpoints/${endpoint}/workers`)).json.workers[0];
  for (let heartbeat = 0; heartbeat < 20; heartbeat++) {
    expect(await stateOf()).toMatchObject({ state: "IDLE" });
    await worker.ping([id]);
    await clock.advance(3 * SECOND);
  }
  await worker.ping([id]);
  expect(await stateOf()).toMatchObject({
    state: "UNHEALTHY",
    reason: expect.stringContaining(`still lists job ${id} more than 60 s`),
  });
  await worker.ping();
  expect(await stateOf()).toMatchObject({ state: "IDLE" });
});

test("R12: a late result counts; one of a generator, or an error, does not", async () => {
  const ids = [await server.run(endpoint), await server.run(endpoint), await server.run(endpoint)];
  const late = await server.worker(endpoint);
  for (const _id of ids) await late.take();
  await clock.advance(20 * SECOND);
  await sweep();
  const [good = "", failed = "", streamed = ""] = ids;
  await late.done(good, { output: "late" });
  await late.done(failed, { error: "late" });
  await late.done(streamed, { output: [] }, true);
  expect(await server.status(endpoint, good)).toMatchObject({
    status: "COMPLETED",
    output: "late",
    workerId: late.id,
    executionTime: 20 * SECOND,
  });
  expect([await statusOf(failed), await statusOf(streamed)]).toEqual(["IN_QUEUE", "IN_QUEUE"]);
  expect((await server.get(`/v2/${endpoint}/health`)).json.jobs).toMatchObject({ completed: 1, inQueue: 2 });
});
