import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { JobPolicy } from "../../src/domain/policy.ts";
import { cancel } from "../../src/engine/cancel.ts";
import { giveBack } from "../../src/engine/give-back.ts";
import { purge } from "../../src/engine/purge.ts";
import { report } from "../../src/engine/report.ts";
import { retry } from "../../src/engine/retry.ts";
import { stops } from "../../src/engine/stops.ts";
import { sweepDeadlines } from "../../src/engine/sweep.ts";
import { TestEngine } from "../support/test-engine.ts";
import { gateBefore, inOrder, type StepName } from "./in-order.ts";

const SECOND = 1_000;

describe("races of a result that comes late (decision 0033)", () => {
  let t: TestEngine;
  let id: string;
  beforeEach(async () => {
    t = await TestEngine.start();
    await start();
  });
  afterEach(() => t.stop());

  /** The job is handed out at once, and given back 5 s later. */
  async function start(policy: Partial<JobPolicy> = {}): Promise<void> {
    id = await t.submit(policy);
    await t.take(t.worker("a"));
    await t.clock.advance(5 * SECOND);
    await lose();
  }

  const bytes = (json: string): Uint8Array => new TextEncoder().encode(json);
  const lose = async () => giveBack(t.engine, await t.status(id), "died");
  /** Of the first attempt, or of the second one. */
  const result = (worker: "a" | "b", error?: string) =>
    report(t.engine, {
      worker: t.worker(worker),
      job: id,
      attempt: undefined,
      output: error === undefined ? bytes(`"of ${worker}"`) : undefined,
      error: error === undefined ? undefined : bytes(error),
      mayBeLate: true,
    });
  const runAgain = () => t.take(t.worker("b"));
  const stopsOf = (worker: string) => stops(t.engine, t.worker(worker), 0, new AbortController().signal);
  const ends = async (state: string, output?: string) => {
    const job = await t.status(id);
    expect(job.state as string).toBe(state);
    expect(job.output instanceof Uint8Array ? new TextDecoder().decode(job.output) : undefined).toBe(output);
  };
  const counts = () => t.engine.store.counts(t.endpoint);
  const LATE_WON = ["COMPLETED", '"of a"'] as const;

  test("R12, late result first: the result of the attempt that runs is ignored", async () => {
    await runAgain();
    const both = () => [result("a"), result("b")] as const;
    expect(await inOrder(t.engine.store, ["complete", "complete"], both)).toEqual([true, false]);
    await ends(...LATE_WON);
    expect(await counts()).toMatchObject({ running: 0, completed: 1, ignored: 1 });
  });

  test("R12, result of the running attempt first: the late one is ignored", async () => {
    await runAgain();
    const both = () => [result("b"), result("a")] as const;
    expect(await inOrder(t.engine.store, ["complete", "complete"], both)).toEqual([true, false]);
    await ends("COMPLETED", '"of b"');
    expect(await stopsOf("b")).toEqual([]);
  });

  test("R12, late result first: the error of the attempt that runs is ignored", async () => {
    await runAgain();
    const both = () => [result("a"), result("b", '"no"')] as const;
    expect(await inOrder(t.engine.store, ["complete", "fail"], both)).toEqual([true, false]);
    await ends(...LATE_WON);
    expect(await counts()).toMatchObject({ completed: 1, failed: 0, ignored: 1 });
  });

  test("R12, error of the running attempt first: the late result is ignored", async () => {
    await runAgain();
    const both = () => [result("b", '"no"'), result("a")] as const;
    expect(await inOrder(t.engine.store, ["fail", "complete"], both)).toEqual([true, false]);
    await ends("FAILED");
  });

  for (const isRunning of [false, true]) {
    const where = isRunning ? "a running job" : "a waiting job";
    const cancelAndResult = () => [cancel(t.engine, t.endpoint, id), result("a")] as const;

    test(`R2, late result first, of ${where}: cancel answers COMPLETED`, async () => {
      if (isRunning) await runAgain();
      const [job, isAccepted] = await inOrder(t.engine.store, ["complete", "cancel"], cancelAndResult);
      expect([job.state as string, isAccepted]).toEqual(["COMPLETED", true]);
      await ends(...LATE_WON);
      expect(await stopsOf("b")).toEqual(isRunning ? [id] : []);
    });

    test(`R2, cancel first, of ${where}: the late result is ignored`, async () => {
      if (isRunning) await runAgain();
      const [job, isAccepted] = await inOrder(t.engine.store, ["cancel", "complete"], cancelAndResult);
      expect([job.state as string, isAccepted]).toEqual(["CANCELLED", false]);
      await ends("CANCELLED");
      expect(await stopsOf("b")).toEqual(isRunning ? [id] : []);
      expect(await counts()).toMatchObject({ queued: 0, running: 0, completed: 0, ignored: 1 });
    });
  }

  const timeouts = [
    ["ttl, of a waiting job", { ttl: 50 * SECOND }, false, { sent: 50 * SECOND - 1, due: 50 * SECOND }],
    ["ttl, of a running job", { ttl: 50 * SECOND }, true, { sent: 50 * SECOND - 1, due: 50 * SECOND }],
    [
      "execution timeout of the second attempt",
      { executionTimeout: 60 * SECOND },
      true,
      { sent: 60 * SECOND - 1, due: 65 * SECOND },
    ],
  ] as const;
  describe.each(timeouts)("%s", (_what, policy, isRunning, { sent, due }) => {
    /** The result is sent within its own time; the timeout is due before either is committed. */
    async function timeOut(order: readonly [StepName, StepName]): Promise<boolean> {
      await cancel(t.engine, t.endpoint, id);
      await start(policy);
      if (isRunning) await runAgain();
      await t.clock.advance(sent - 5 * SECOND);
      const gate = gateBefore(t.engine.store);
      const accepted = result("a");
      await gate.waits("complete");
      await t.clock.advance(due - sent);
      const swept = sweepDeadlines(t.engine, false);
      await gate.waits("timeOut");
      gate.pass(...order);
      gate.open();
      await swept;
      return accepted;
    }

    test("R1, late result first: the timeout behind it changes nothing", async () => {
      expect(await timeOut(["complete", "timeOut"])).toBe(true);
      await ends(...LATE_WON);
      expect(await stopsOf("b")).toEqual(isRunning ? [id] : []);
    });

    test("R1, timeout first: the late result is ignored", async () => {
      expect(await timeOut(["timeOut", "complete"])).toBe(false);
      await ends("TIMED_OUT");
    });
  });

  const retryAndResult = () => [retry(t.engine, t.endpoint, id), result("a")] as const;
  for (const order of [
    ["retry", "complete"],
    ["complete", "retry"],
  ] as const) {
    test(`R5, ${order[0] === "retry" ? "retry" : "late result"} first: it does not count`, async () => {
      await runAgain();
      await result("b", '"no"');
      const [, isAccepted] = await inOrder(t.engine.store, order, retryAndResult);
      expect(isAccepted).toBe(false);
      await ends("IN_QUEUE");
      expect(await result("a")).toBe(false);
      await runAgain();
      expect(await result("a")).toBe(false);
      await ends("IN_PROGRESS");
      expect(await result("b")).toBe(true);
    });
  }

  const purgeAndResult = () => [purge(t.engine, t.endpoint), result("a")] as const;

  test("R12, late result first: purge leaves the job that has ended", async () => {
    const answers = await inOrder(t.engine.store, ["complete", "purge"], purgeAndResult);
    expect(answers).toEqual([0, true]);
    await ends(...LATE_WON);
  });

  test("R12, purge first: there is no job any more for the late result", async () => {
    const answers = await inOrder(t.engine.store, ["purge", "complete"], purgeAndResult);
    expect(answers).toEqual([1, false]);
    expect(await t.engine.store.job(t.endpoint, id)).toBeUndefined();
    expect(await counts()).toMatchObject({ queued: 0, queuedBytes: 0, running: 0, completed: 0 });
  });
});
