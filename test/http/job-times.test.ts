import { describe, expect, test } from "bun:test";
import { forgetExpired, sweepDeadlines } from "../../src/engine/sweep.ts";
import type { Answer } from "../support/answer.ts";
import { freshWorker } from "../support/fresh-server.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

let clock: ManualClock;
let server: TestServer;
let endpoint: string;
let worker: TestWorker;
freshWorker((fresh) => ({ clock, server, endpoint, worker } = fresh), { isStill: true });

const run = (policy: object = {}) => server.run(endpoint, {}, { policy });
const retry = (id: string) => server.post(`/v2/${endpoint}/retry/${id}`);
const withTtl = (id: string, ttl: number) => server.get(`/v2/${endpoint}/status/${id}?ttl=${ttl}`);

/** Whatever is due by now happens. */
async function sweep(): Promise<void> {
  await sweepDeadlines(server.forebay.engine, false);
  await forgetExpired(server.forebay.engine);
}

/** The worker goes on showing its jobs while `ms` pass. */
async function work(ms: number, ...jobs: string[]): Promise<void> {
  for (let left = ms; left > 0; left -= 3 * SECOND) {
    await worker.ping(jobs);
    await clock.advance(Math.min(left, 3 * SECOND));
  }
  await sweep();
}

/** Nothing happens while `ms` pass. */
async function sleep(ms: number): Promise<void> {
  await clock.standStill(ms);
  await sweep();
}

/** The state of the job, or GONE. */
async function state(id: string): Promise<string> {
  const { status, code } = await server.status(endpoint, id);
  return code === "JOB_NOT_FOUND" ? "GONE" : status;
}

describe("executionTimeout", () => {
  test("spec 2.2: 10 minutes where nothing is said; then TIMED_OUT with the reason", async () => {
    const id = await run();
    await sleep(MINUTE);
    await worker.take();
    await work(10 * MINUTE - 1, id);
    expect(await state(id)).toBe("IN_PROGRESS");
    await work(1, id);
    expect(await server.status(endpoint, id)).toEqual({
      id,
      status: "TIMED_OUT",
      delayTime: MINUTE,
      executionTime: 10 * MINUTE,
      workerId: worker.id,
      error: "executionTimeout exceeded",
    });
  });

  test.each(["job-stop", "exchange"])(
    "design row 6: the worker is told to stop, over %s",
    async (protocol) => {
      const id = await run({ executionTimeout: 5_001 });
      await worker.exchange({ take: 1 });
      await work(5_001, id);
      expect(await state(id)).toBe("TIMED_OUT");
      if (protocol === "job-stop") expect((await worker.stops()).json).toEqual({ jobsToStop: [id] });
      else expect((await worker.exchange({ alive: [id], take: 0 })).json.stop).toEqual([id]);
    },
  );

  test("design row 6: it runs anew with each attempt, and never beyond the ttl", async () => {
    const id = await run({ executionTimeout: 20 * SECOND, ttl: 50 * SECOND });
    await worker.take();
    await work(9 * SECOND, id);
    const other = await server.worker(endpoint);
    // Twice it does not show the job.
    await clock.advance(7 * SECOND);
    await worker.ping();
    await worker.ping();
    expect(await state(id)).toBe("IN_QUEUE");
    await other.take();
    worker = other;
    await work(20 * SECOND - 1, id);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_PROGRESS", retries: 1 });
    await work(1, id);
    expect(await state(id)).toBe("TIMED_OUT");
    await retry(id);
    await clock.advance(35 * SECOND);
    await other.take();
    await work(15 * SECOND - 1, id);
    expect(await state(id)).toBe("IN_PROGRESS");
    await work(1, id);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "TIMED_OUT", error: "ttl exceeded" });
  });
});

describe("ttl", () => {
  test.each([
    ["spec 2.2: a day where nothing is said", undefined, DAY],
    ["spec 2.2: 10 s at least", 10_000, 10_000],
    ["spec 2.2: a week at most", 7 * DAY, 7 * DAY],
  ])("%s, from the submission", async (_what, ttl, expected) => {
    const id = await run(ttl === undefined ? {} : { ttl });
    await sleep(expected - 1);
    expect(await state(id)).toBe("IN_QUEUE");
    await sleep(1);
    expect(await server.status(endpoint, id)).toEqual({ id, status: "TIMED_OUT", error: "ttl exceeded" });
  });

  test("design row 5: a finished job's retention is its own, and the ttl does not shorten it", async () => {
    const id = await run({ ttl: 10_000 });
    await worker.take();
    await worker.done(id, { output: 1 });
    await sleep(30 * MINUTE - 1);
    expect(await state(id)).toBe("COMPLETED");
    await sleep(1);
    expect(await state(id)).toBe("GONE");
  });

  test("design row 4: status?ttl= ends an unfinished job that long from now, earlier or later", async () => {
    const [earlier, later] = [await run(), await run({ ttl: 20 * SECOND })];
    await sleep(15 * SECOND);
    expect((await withTtl(earlier, 6_000)).json).toEqual({ id: earlier, status: "IN_QUEUE" });
    await withTtl(later, 7 * DAY);
    await sleep(5_999);
    expect([await state(earlier), await state(later)]).toEqual(["IN_QUEUE", "IN_QUEUE"]);
    await sleep(1);
    expect([await state(earlier), await state(later)]).toEqual(["TIMED_OUT", "IN_QUEUE"]);
    await sleep(7 * DAY - 6_000);
    expect(await state(later)).toBe("TIMED_OUT");
  });

  test("design row 4: status?ttl= lets the record of a finished job go earlier, not later", async () => {
    const [earlier, later] = [await run(), await run()];
    await worker.takeBatch(2);
    for (const id of [earlier, later]) await worker.done(id, { output: 1 });
    expect((await withTtl(earlier, 1)).json).toMatchObject({ status: "COMPLETED", output: 1 });
    await withTtl(later, 7 * DAY);
    await sleep(1);
    expect([await state(earlier), await state(later)]).toEqual(["GONE", "COMPLETED"]);
    expect((await withTtl(earlier, 7 * DAY)).json.code).toBe("JOB_NOT_FOUND");
    await sleep(30 * MINUTE - 1);
    expect(await state(later)).toBe("GONE");
  });
});

describe("wait", () => {
  /** Fails unless the call is answered after exactly so long. */
  async function heldFor(ms: number, call: Promise<Answer>): Promise<Answer> {
    let isAnswered = false;
    void call.then(() => (isAnswered = true));
    await clock.advance(ms - 1);
    // An answer that is on its way would be here by then.
    for (let later = 0; later < 5; later++) await server.get("/healthz");
    expect(isAnswered).toBe(false);
    await clock.advance(1);
    return call;
  }

  test.each([
    ["", 90 * SECOND],
    ["?wait=1000", SECOND],
    ["?wait=300000", 5 * MINUTE],
  ])("design row 3: runsync%s is held for %d ms, and the job goes on", async (query, ms) => {
    const call = server.post(`/v2/${endpoint}/runsync${query}`, { input: {} });
    await until("it waits", async () => (await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue === 1);
    const { status, json } = await heldFor(ms, call);
    expect([status, json]).toEqual([200, { id: json.id, status: "IN_QUEUE" }]);
    await worker.take();
    await worker.done(json.id, { output: 1 });
    expect(await state(json.id)).toBe("COMPLETED");
    const kept = Math.max(MINUTE, query === "" ? 0 : ms);
    await sleep(kept - 1);
    expect(await state(json.id)).toBe("COMPLETED");
    await sleep(1);
    expect(await state(json.id)).toBe("GONE");
  });

  test("a runsync whose job times out meanwhile is answered with its record", async () => {
    const call = server.post(`/v2/${endpoint}/runsync`, { input: {}, policy: { ttl: 10_000 } });
    await until("it waits", async () => (await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue === 1);
    await clock.advance(11 * SECOND);
    const { status, json } = await call;
    expect([status, json]).toEqual([200, { id: json.id, status: "TIMED_OUT", error: "ttl exceeded" }]);
  });
});

describe("retry", () => {
  test("design row 8: result and chunks are gone, the attempt counts on", async () => {
    const id = await run();
    await worker.take();
    await worker.stream(id, { output: "piece" });
    await worker.done(id, { error: "no" });
    const stream = () => server.get(`/v2/${endpoint}/stream/${id}?from=0&wait=1000`);
    const before = await stream();
    expect(before.json).toEqual([{ output: "piece" }]);
    expect(before.headers.get("x-attempt")).toBe("1");
    await retry(id);
    const empty = stream();
    await worker.take();
    await worker.stream(id, { output: "again" });
    expect((await empty).json).toEqual([{ output: "again" }]);
    expect((await empty).headers.get("x-attempt")).toBe("2");
    expect(await server.status(endpoint, id)).not.toHaveProperty("error");
  });

  test.each([
    ["run", 30 * MINUTE],
    ["runsync", MINUTE],
  ])("spec 3.2: a job of %s can be retried until its result expires, after %d ms", async (kind, window) => {
    for (const late of [0, 1]) {
      const call = server.post(`/v2/${endpoint}/${kind}`, { input: {} });
      const { json: job } = await worker.take();
      await worker.done(job.id, { error: "no" });
      await call;
      await clock.standStill(window - 1 + late);
      const { status, json } = await retry(job.id);
      expect([status, json.status]).toEqual(late === 0 ? [200, "IN_QUEUE"] : [404, 404]);
      await server.post(`/v2/${endpoint}/purge-queue`);
    }
  });

  test("design row 8: one that timed out has a new ttl of the original length", async () => {
    const id = await run({ ttl: 20 * SECOND });
    await sleep(20 * SECOND);
    expect(await state(id)).toBe("TIMED_OUT");
    await sleep(10 * MINUTE);
    expect((await retry(id)).json).toEqual({ id, status: "IN_QUEUE" });
    expect(await server.status(endpoint, id)).toEqual({ id, status: "IN_QUEUE" });
    await sleep(20 * SECOND - 1);
    expect(await state(id)).toBe("IN_QUEUE");
    await sleep(1);
    expect(await state(id)).toBe("TIMED_OUT");
  });
});

test("design row 10: purge-queue counts jobs that came back, and none that runs or has ended", async () => {
  const [failed, denied, running] = [await run(), await run(), await run()];
  await worker.takeBatch(3);
  await worker.done(failed, { error: "no" });
  await worker.ping([denied, running]);
  await clock.advance(7 * SECOND);
  for (let ping = 0; ping < 2; ping++) await worker.ping([running]);
  await retry(failed);
  const [waiting, cancelled] = [await run(), await run()];
  await server.post(`/v2/${endpoint}/cancel/${cancelled}`);
  expect(await Promise.all([failed, denied, waiting].map(state))).toEqual([
    "IN_QUEUE",
    "IN_QUEUE",
    "IN_QUEUE",
  ]);
  expect((await server.post(`/v2/${endpoint}/purge-queue`)).json).toEqual({
    removed: 3,
    status: "completed",
  });
  expect(await Promise.all([failed, denied, waiting].map(state))).toEqual(["GONE", "GONE", "GONE"]);
  expect(await Promise.all([running, cancelled].map(state))).toEqual(["IN_PROGRESS", "CANCELLED"]);
});
