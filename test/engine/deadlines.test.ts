import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { overdue } from "../../src/domain/deadlines.ts";
import { DEFAULT_POLICY } from "../../src/domain/policy.ts";
import { deadlineJobs } from "../../src/background/leader-jobs.ts";
import { runBackgroundJobs, type RunningJobs } from "../../src/background/run-background-jobs.ts";
import { carryOut } from "../../src/engine/give-back.ts";
import { retry } from "../../src/engine/retry.ts";
import { seen } from "../../src/engine/seen.ts";
import { statusWithTtl } from "../../src/engine/status.ts";
import { sweepDeadlines } from "../../src/engine/sweep.ts";
import { stops } from "../../src/engine/stops.ts";
import { stepsOf } from "../model/steps.ts";
import { pingOf, TestEngine } from "../support/test-engine.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe("deadlines are never early and at most a second late", () => {
  let t: TestEngine;
  let background: RunningJobs;
  beforeEach(async () => {
    t = await TestEngine.start();
    background = runBackgroundJobs(t.engine, deadlineJobs(t.engine));
    await t.clock.advance(10 * SECOND);
  });
  afterEach(async () => {
    await background.stop();
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

  test("P13: executionTimeout ends a running job TIMED_OUT, and its worker is asked to stop", async () => {
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

  test("a job past its ttl is not handed out, even before it is ended", async () => {
    await background.stop();
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

  test("R4: a job whose retention is over is not retried, even before it is deleted", async () => {
    const id = await t.submit({ ttl: 10 * SECOND });
    await t.clock.advance(11 * SECOND);
    await background.stop();
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

  test("design row 4: status?ttl= moves the deadline of a job, and only shortens its retention", async () => {
    const id = await t.submit();
    await statusWithTtl(t.engine, t.endpoint, id, 5 * SECOND);
    await t.clock.advance(6 * SECOND);
    expect((await t.status(id)).state).toBe("TIMED_OUT");
    await statusWithTtl(t.engine, t.endpoint, id, 10 * MINUTE);
    await statusWithTtl(t.engine, t.endpoint, id, 2 * SECOND);
    await t.clock.advance(3 * SECOND);
    await expect(t.status(id)).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
  });

  test("P13: none of thousands of jobs that are due in the same moment is late", async () => {
    const { store } = t.engine;
    const { enqueue } = stepsOf(t.endpoint);
    const ids = Array.from({ length: 6_000 }, (_, index) => `job-${index}`);
    const policy = { ...DEFAULT_POLICY, ttl: 20 * SECOND };
    const dueAt = t.clock.now() + policy.ttl;
    await store.apply(
      ids.map((id, index) => enqueue(id, index, { policy })),
      t.clock.now(),
    );
    await t.clock.advance(21 * SECOND);
    const late = await Promise.all(ids.map(async (id) => ((await t.status(id)).endedAt ?? 0) - dueAt));
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThanOrEqual(SECOND);
  });

  test("R21: hand-outs with valid leases do not hide expired ones behind them", async () => {
    await background.stop();
    const handedOut = await Promise.all(Array.from({ length: 1_100 }, () => t.submit()));
    await t.take(t.worker("a"), { count: handedOut.length });
    await t.clock.advance(MINUTE);
    const over = await t.submit({ ttl: 10 * SECOND });
    await t.clock.advance(10 * SECOND);
    await sweepDeadlines(t.engine, true);
    expect((await t.status(over)).state).toBe("TIMED_OUT");
    expect((await t.status(handedOut[0] ?? "")).state).toBe("IN_PROGRESS");
  });

  test.each(["the result", "the sweep"])(
    "R23: done exactly at executionTimeout, %s first: one end",
    async (first) => {
      await background.stop();
      const id = await t.submit({ executionTimeout: 20 * SECOND });
      await t.take(t.worker("a"));
      await seen(t.engine, t.worker("a"), pingOf(id));
      await t.clock.advance(20 * SECOND);
      const ends = [() => t.complete(t.worker("a"), id), () => sweepDeadlines(t.engine, false)];
      await Promise.all((first === "the result" ? ends : ends.toReversed()).map((end) => end()));
      const { state, output, error } = await t.status(id);
      expect(["COMPLETED", "TIMED_OUT"]).toContain(state);
      expect(output === undefined).toBe(error !== undefined);
      const counts = await t.engine.store.counts(t.endpoint);
      expect((counts?.completed ?? 0) + (counts?.failed ?? 0)).toBe(1);
      expect(counts).toMatchObject({ running: 0, ignored: state === "TIMED_OUT" ? 1 : 0 });
    },
  );

  test("R23: a timeout that was decided about an earlier attempt does not end the next one", async () => {
    await background.stop();
    const id = await t.submit({ executionTimeout: 20 * SECOND });
    await t.take(t.worker("a"));
    await t.clock.advance(20 * SECOND);
    const [decided] = await t.engine.store.due(t.clock.now(), 1);
    if (decided === undefined) throw new Error("the job is due");
    await sweepDeadlines(t.engine, false);
    await retry(t.engine, t.endpoint, id);
    await t.take(t.worker("b"));
    await carryOut(t.engine, decided, overdue(decided, t.clock.now()));
    expect(await t.status(id)).toMatchObject({ state: "IN_PROGRESS", attempt: 2, worker: "b" });
  });

  test("R23: a loss that was decided about an earlier attempt does not end the next one", async () => {
    await background.stop();
    const id = await t.submit();
    await t.take(t.worker("a"));
    const [decided] = await t.engine.store.due(Infinity, 1);
    if (decided === undefined) throw new Error("the job has a deadline");
    await carryOut(t.engine, decided, { event: "giveBack", losses: 1, undelivered: 0 });
    await t.take(t.worker("b"));
    await carryOut(t.engine, decided, { event: "giveUp", reason: "the worker was lost 3 times" });
    expect(await t.status(id)).toMatchObject({ state: "IN_PROGRESS", attempt: 2, worker: "b" });
  });

  test("R21: after a pause of an hour what is over ends within a second, the rest goes on", async () => {
    const short = await t.submit({ executionTimeout: 20 * SECOND });
    const long = await t.submit({ executionTimeout: 3 * 60 * MINUTE });
    await t.take(t.worker("a"), { count: 2 });
    await seen(t.engine, t.worker("a"), pingOf(short, long));
    await t.clock.standStill(60 * MINUTE);
    const resumedAt = t.clock.now();
    await seen(t.engine, t.worker("a"), pingOf(short, long));
    await t.clock.advance(SECOND);
    const { state, endedAt = 0 } = await t.status(short);
    expect([state, endedAt - resumedAt <= SECOND]).toEqual(["TIMED_OUT", true]);
    expect(await t.status(long)).toMatchObject({ state: "IN_PROGRESS", attempt: 1 });
  });

  test("P14: the times of a record are those at which it happened", async () => {
    const id = await t.submit();
    await t.clock.advance(300);
    await t.take(t.worker("a"));
    await t.clock.advance(70);
    await t.complete(t.worker("a"), id);
    const endedAt = t.clock.now();
    expect(await t.status(id)).toMatchObject({ queuedAt: endedAt - 370, takenAt: endedAt - 70, endedAt });
  });
});
