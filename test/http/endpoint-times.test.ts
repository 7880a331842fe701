import { describe, expect, test } from "bun:test";
import { forgetExpired, sweepDeadlines } from "../../src/engine/sweep.ts";
import { freshWorker } from "../support/fresh-server.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const DEFAULTS = {
  executionTimeoutMs: 600_000,
  ttlMs: 86_400_000,
  runRetentionMs: 1_800_000,
  runsyncRetentionMs: 60_000,
};

describe("an endpoint's own times", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ clock, server, endpoint, worker } = fresh), { isStill: true });

  const path = () => `/v1/endpoints/${endpoint}`;
  const record = async () => (await server.get(path())).json;
  const set = (fields: Record<string, unknown>) => server.call("PATCH", path(), fields);

  /** The worker goes on showing its jobs while `ms` pass; then whatever is due by now happens. */
  async function pass(ms: number, ...jobs: string[]): Promise<void> {
    for (let left = ms; left > 0; left -= 3 * SECOND) {
      await worker.ping(jobs);
      await clock.advance(Math.min(left, 3 * SECOND));
    }
    await sweepDeadlines(server.forebay.engine, false);
    await forgetExpired(server.forebay.engine);
  }

  async function state(id: string): Promise<string> {
    const { status, code } = await server.status(endpoint, id);
    return code === "JOB_NOT_FOUND" ? "GONE" : status;
  }

  test("8 run retention, 8 runsync retention: the spec's values, which the record shows", async () => {
    expect(await record()).toMatchObject(DEFAULTS);
  });

  test("are chosen when it is made, changed one by one, and put back with null", async () => {
    const chosen = {
      executionTimeoutMs: 6_000,
      ttlMs: 20_000,
      runRetentionMs: 1_000,
      runsyncRetentionMs: 2_000,
    };
    endpoint = await server.endpoint(chosen);
    expect(await record()).toMatchObject(chosen);
    for (const name of Object.keys(chosen)) {
      const before = await record();
      const after = { ...before, [name]: before[name] + 1 };
      expect(await set({ [name]: before[name] + 1 })).toMatchObject({ status: 200, json: after });
      expect(await record()).toEqual(after);
    }
    const reset = Object.fromEntries(Object.keys(chosen).map((name) => [name, null]));
    expect((await set(reset)).json).toMatchObject(DEFAULTS);
  });

  test("wire-facts 6.2: both ways to change it do the same, in both dialects", async () => {
    for (const [method, base, suffix] of [
      ["PATCH", "", ""],
      ["POST", "", "/update"],
      ["PATCH", "/sdk", ""],
      ["POST", "/sdk", "/update"],
    ] as const) {
      const ttlMs = 10_000 + Math.floor(Math.random() * 1_000_000);
      const answer = await server.call(method, `${base}${path()}${suffix}`, { ttlMs, workersMax: 7 });
      expect(answer).toMatchObject({ status: 200, json: { ttlMs, workersMax: 7 } });
      expect(await record()).toEqual(answer.json);
    }
  });

  test.each([
    [{ executionTimeoutMs: 5_000 }, "executionTimeoutMs"],
    [{ executionTimeoutMs: 0 }, "executionTimeoutMs"],
    [{ executionTimeoutMs: "6000" }, "executionTimeoutMs"],
    [{ executionTimeoutMs: 6_000.5 }, "executionTimeoutMs"],
    [{ ttlMs: 9_999 }, "ttlMs"],
    [{ ttlMs: 604_800_001 }, "ttlMs"],
    [{ runRetentionMs: 999 }, "runRetentionMs"],
    [{ runRetentionMs: 604_800_001 }, "runRetentionMs"],
    [{ runsyncRetentionMs: 999 }, "runsyncRetentionMs"],
    [{ workersMin: 4 }, "workersMin"],
    [{ name: null }, "name"],
    [{ id: "mine" }, "id"],
    [{ unknown: 1 }, "unknown"],
  ])("%j is refused naming %s, and nothing of the call is stored", async (fields, name) => {
    const before = await record();
    const { status, json } = await set({ idleTimeout: 9, ...fields });
    expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
    expect(json.error).toContain(name);
    expect(await record()).toEqual(before);
  });

  test("the edges of the ranges are taken", async () => {
    const low = {
      executionTimeoutMs: 5_001,
      ttlMs: 10_000,
      runRetentionMs: 1_000,
      runsyncRetentionMs: 1_000,
    };
    expect((await set(low)).json).toMatchObject(low);
    const week = 604_800_000;
    const high = {
      executionTimeoutMs: week * 2,
      ttlMs: week,
      runRetentionMs: week,
      runsyncRetentionMs: week,
    };
    expect((await set(high)).json).toMatchObject(high);
  });

  test("the other members change too: name, workers and idle time", async () => {
    const fields = { name: "renamed", workersMin: 5, workersMax: 9, idleTimeout: 60 };
    expect((await set(fields)).json).toMatchObject(fields);
    const defaults = { workersMin: 0, workersMax: 3, idleTimeout: 5 };
    expect((await set({ workersMin: null, workersMax: null, idleTimeout: null })).json).toMatchObject(
      defaults,
    );
    const other = await server.post("/v1/endpoints", { name: "taken" });
    expect(other.status).toBe(200);
    expect((await set({ name: "taken" })).json.code).toBe("NAME_TAKEN");
    expect(await record()).toMatchObject({ name: "renamed", ...defaults });
  });

  test("an endpoint that is not there is not changed", async () => {
    expect((await server.call("PATCH", "/v1/endpoints/none", {})).json.code).toBe("ENDPOINT_NOT_FOUND");
  });

  test("2.2 executionTimeout of the endpoint: for new jobs that say nothing", async () => {
    const before = await server.run(endpoint);
    await set({ executionTimeoutMs: 20 * SECOND });
    const after = await server.run(endpoint);
    const own = await server.run(endpoint, {}, { policy: { executionTimeout: 40 * SECOND } });
    await worker.takeBatch(3);
    const all = [before, after, own];
    await pass(20 * SECOND - 1, ...all);
    expect(await Promise.all(all.map(state))).toEqual(["IN_PROGRESS", "IN_PROGRESS", "IN_PROGRESS"]);
    await pass(1, ...all);
    expect(await Promise.all(all.map(state))).toEqual(["IN_PROGRESS", "TIMED_OUT", "IN_PROGRESS"]);
    await pass(20 * SECOND, ...all);
    expect(await Promise.all(all.map(state))).toEqual(["IN_PROGRESS", "TIMED_OUT", "TIMED_OUT"]);
  });

  test("ttlMs holds for jobs submitted from now on that say nothing themselves", async () => {
    const before = await server.run(endpoint);
    await set({ ttlMs: 20 * SECOND });
    const after = await server.run(endpoint);
    const own = await server.run(endpoint, {}, { policy: { ttl: 40 * SECOND } });
    const all = [before, after, own];
    await pass(20 * SECOND - 1);
    expect(await Promise.all(all.map(state))).toEqual(["IN_QUEUE", "IN_QUEUE", "IN_QUEUE"]);
    await pass(1);
    expect(await Promise.all(all.map(state))).toEqual(["IN_QUEUE", "TIMED_OUT", "IN_QUEUE"]);
    await pass(20 * SECOND);
    expect(await Promise.all(all.map(state))).toEqual(["IN_QUEUE", "TIMED_OUT", "TIMED_OUT"]);
  });

  test("a retried job has the ttl it was submitted with", async () => {
    await set({ ttlMs: 20 * SECOND });
    const id = await server.run(endpoint);
    await set({ ttlMs: null });
    await pass(20 * SECOND);
    await server.post(`/v2/${endpoint}/retry/${id}`);
    await pass(20 * SECOND - 1);
    expect(await state(id)).toBe("IN_QUEUE");
    await pass(1);
    expect(await state(id)).toBe("TIMED_OUT");
  });

  test("runRetentionMs holds for jobs that end from now on, in whatever way", async () => {
    const short = { policy: { executionTimeout: MINUTE } };
    const [early, completed, failed, cancelled, timedOut] = [
      await server.run(endpoint),
      await server.run(endpoint),
      await server.run(endpoint),
      await server.run(endpoint),
      await server.run(endpoint, {}, short),
    ];
    await worker.takeBatch(5);
    await worker.done(early, { output: 1 });
    await set({ runRetentionMs: 10 * SECOND });
    await pass(MINUTE, completed, failed, cancelled, timedOut);
    await worker.done(completed, { output: 1 });
    await worker.done(failed, { error: "no" });
    await server.post(`/v2/${endpoint}/cancel/${cancelled}`);
    expect(await state(timedOut)).toBe("TIMED_OUT");
    const changed = [completed, failed, cancelled, timedOut];
    await pass(10 * SECOND - 1);
    expect(await Promise.all(changed.map(state))).not.toContain("GONE");
    await pass(1);
    expect(await Promise.all(changed.map(state))).toEqual(["GONE", "GONE", "GONE", "GONE"]);
    await pass(30 * MINUTE - MINUTE - 10 * SECOND - 1);
    expect(await state(early)).toBe("COMPLETED");
    await pass(1);
    expect(await state(early)).toBe("GONE");
  });

  test.each([
    [undefined, 10 * SECOND],
    [5 * SECOND, 10 * SECOND],
    [30 * SECOND, 30 * SECOND],
  ])("runsyncRetentionMs and wait=%p: the longer one counts", async (wait, stays) => {
    await set({ runsyncRetentionMs: 10 * SECOND, runRetentionMs: 1_000 });
    const query = wait === undefined ? "" : `?wait=${wait}`;
    const answer = server.post(`/v2/${endpoint}/runsync${query}`, { input: {} });
    const { json: job } = await worker.take();
    await worker.done(job.id, { output: 1 });
    expect((await answer).json.status).toBe("COMPLETED");
    await pass(stays - 1);
    expect(await state(job.id)).toBe("COMPLETED");
    await pass(1);
    expect(await state(job.id)).toBe("GONE");
  });

  test("status?ttl= and retry keep to the retention that the endpoint says", async () => {
    await set({ runRetentionMs: 10 * SECOND });
    const id = await server.run(endpoint);
    await worker.take();
    await worker.done(id, { error: "no" });
    await server.get(`/v2/${endpoint}/status/${id}?ttl=60000`);
    await pass(10 * SECOND - 1);
    expect(await state(id)).toBe("FAILED");
    await clock.advance(1);
    expect((await server.post(`/v2/${endpoint}/retry/${id}`)).json.code).toBe("JOB_NOT_FOUND");
  });
});

test("an endpoint's own times survive a restart; where it has none the server's settings count", async () => {
  await using directory = await temporaryDirectory();
  const first = await TestServer.start({ flags: { data: directory.path } });
  const chosen = { executionTimeoutMs: 6_000, runRetentionMs: 2_000 };
  const endpoint = await first.endpoint(chosen);
  await first.stop();
  const flags = { data: directory.path, "run-retention-ms": "7000", "runsync-retention-ms": "8000" };
  const second = await TestServer.start({ flags });
  expect((await second.get(`/v1/endpoints/${endpoint}`)).json).toMatchObject({
    ...chosen,
    ttlMs: 86_400_000,
    runsyncRetentionMs: 8_000,
  });
  await second.stop();
});
