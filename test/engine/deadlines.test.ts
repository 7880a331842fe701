import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { expireDuties } from "../../src/duties/expire.ts";
import { type RunningDuties, runDuties } from "../../src/duties/run-duties.ts";
import { retry } from "../../src/engine/retry.ts";
import { seen } from "../../src/engine/seen.ts";
import { statusWithTtl } from "../../src/engine/status.ts";
import { stops } from "../../src/engine/stops.ts";
import { pingOf, TestEngine } from "../support/test-engine.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe("deadlines are never early and at most a second late", () => {
  let t: TestEngine;
  let duties: RunningDuties;
  beforeEach(async () => {
    t = await TestEngine.start();
    duties = runDuties(t.engine, expireDuties(t.engine));
    await t.clock.advance(10 * SECOND);
  });
  afterEach(async () => {
    await duties.stop();
    await t.stop();
  });

  /** Moves on by `ms` while the worker goes on pinging that it has the job. */
  async function runOn(ms: number, worker: string, id: string): Promise<void> {
    for (let left = ms; left > 0; left -= 3 * SECOND) {
      await seen(t.engine, t.worker(worker), pingOf(id));
      await t.clock.advance(Math.min(left, 3 * SECOND));
    }
  }

  const errorOf = async (id: string): Promise<string> =>
    JSON.parse(new TextDecoder().decode((await t.status(id)).error as Uint8Array));

  test("P13: executionTimeout ends a running job TIMED_OUT and tells its worker", async () => {
    const id = await t.submit({ executionTimeout: 20 * SECOND });
    await t.clock.advance(30 * SECOND);
    await t.take(t.worker("a"));
    await runOn(20 * SECOND - 1, "a", id);
    expect((await t.status(id)).state).toBe("IN_PROGRESS");
    await t.clock.advance(SECOND);
    expect((await t.status(id)).state).toBe("TIMED_OUT");
    expect(await errorOf(id)).toBe("executionTimeout exceeded");
    expect(await stops(t.engine, t.worker("a"), 0, new AbortController().signal)).toEqual([id]);
  });

  test("P13: ttl ends a waiting job TIMED_OUT, counted from its submission", async () => {
    const id = await t.submit({ ttl: 20 * SECOND });
    await t.clock.advance(20 * SECOND - 1);
    expect((await t.status(id)).state).toBe("IN_QUEUE");
    await t.clock.advance(SECOND);
    expect((await t.status(id)).state).toBe("TIMED_OUT");
    expect(await errorOf(id)).toBe("ttl exceeded");
  });

  test("design row 5: ttl counts over queue and run", async () => {
    const id = await t.submit({ ttl: 20 * SECOND });
    await t.clock.advance(15 * SECOND);
    await t.take(t.worker("a"));
    await runOn(6 * SECOND, "a", id);
    expect((await t.status(id)).state).toBe("TIMED_OUT");
  });

  test("a job past its ttl is not handed out, though nobody has ended it yet", async () => {
    await duties.stop();
    await t.submit({ ttl: 20 * SECOND });
    await t.clock.advance(20 * SECOND);
    expect(await t.take(t.worker("a"))).toEqual([]);
  });

  test("P13: the record of a finished job stays as long as promised, then it is gone", async () => {
    const id = await t.submit();
    await t.take(t.worker("a"));
    await t.complete(t.worker("a"), id);
    await t.clock.advance(MINUTE - 1);
    expect((await t.status(id)).state).toBe("COMPLETED");
    await t.clock.advance(SECOND);
    await expect(t.status(id)).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
  });

  test("R4: a job whose retention is over is not retried, though it is still there", async () => {
    const id = await t.submit({ ttl: 10 * SECOND });
    await t.clock.advance(11 * SECOND);
    await duties.stop();
    await t.clock.advance(MINUTE);
    await expect(retry(t.engine, t.endpoint, id)).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
  });

  test("P10: of two retries at once exactly one wins", async () => {
    const id = await t.submit({ ttl: 10 * SECOND });
    await t.clock.advance(11 * SECOND);
    const outcomes = await Promise.allSettled([
      retry(t.engine, t.endpoint, id),
      retry(t.engine, t.endpoint, id),
    ]);
    expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect((await t.status(id)).state).toBe("IN_QUEUE");
  });

  test("a retried job has a new ttl of the original length", async () => {
    const id = await t.submit({ ttl: 20 * SECOND });
    await t.clock.advance(30 * SECOND);
    await retry(t.engine, t.endpoint, id);
    await t.clock.advance(20 * SECOND - 1);
    expect((await t.status(id)).state).toBe("IN_QUEUE");
    await t.clock.advance(SECOND);
    expect((await t.status(id)).state).toBe("TIMED_OUT");
  });

  test("design row 4: status?ttl= moves the end of a job, and only shortens its stay", async () => {
    const id = await t.submit();
    await statusWithTtl(t.engine, t.endpoint, id, 5 * SECOND);
    await t.clock.advance(6 * SECOND);
    expect((await t.status(id)).state).toBe("TIMED_OUT");
    await statusWithTtl(t.engine, t.endpoint, id, 10 * MINUTE);
    await statusWithTtl(t.engine, t.endpoint, id, 2 * SECOND);
    await t.clock.advance(3 * SECOND);
    await expect(t.status(id)).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
  });

  test("P14: the times of a record are never negative", async () => {
    const id = await t.submit();
    await t.take(t.worker("a"));
    await t.complete(t.worker("a"), id);
    const { queuedAt, takenAt = 0, endedAt = 0 } = await t.status(id);
    expect(takenAt - queuedAt).toBeGreaterThanOrEqual(0);
    expect(endedAt - takenAt).toBeGreaterThanOrEqual(0);
  });
});
