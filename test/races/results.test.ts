import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { append } from "../../src/engine/append.ts";
import { cancel } from "../../src/engine/cancel.ts";
import { progress } from "../../src/engine/progress.ts";
import { report } from "../../src/engine/report.ts";
import { retry } from "../../src/engine/retry.ts";
import { stops } from "../../src/engine/stops.ts";
import { sweepDeadlines, sweepSilentWorkers } from "../../src/engine/sweep.ts";
import { offerWaiting } from "../../src/engine/wake.ts";
import { pingOf, TestEngine } from "../support/test-engine.ts";
import { seen } from "../../src/engine/seen.ts";
import { inOrder, type StepName } from "./in-order.ts";

const SECOND = 1_000;

describe("races of a result", () => {
  let t: TestEngine;
  let id: string;
  beforeEach(async () => {
    t = await TestEngine.start();
    id = await t.submit({ executionTimeout: 20 * SECOND });
    await t.take(t.worker("a"));
    await seen(t.engine, t.worker("a"), pingOf(id));
  });
  afterEach(() => t.stop());

  const bytes = (json: string): Uint8Array => new TextEncoder().encode(json);
  const text = (payload: unknown): string => new TextDecoder().decode(payload as Uint8Array);
  const stopsOfA = () => stops(t.engine, t.worker("a"), 0, new AbortController().signal);
  const fail = (attempt?: number) =>
    report(t.engine, { worker: t.worker("a"), job: id, attempt, output: undefined, error: bytes('"no"') });
  const yieldOne = () =>
    append(t.engine, { worker: t.worker("a"), job: id, attempt: undefined, chunks: [bytes("{}")] });
  const sendProgress = () =>
    progress(t.engine, { worker: t.worker("a"), job: id, attempt: undefined, value: bytes("1") });
  const counts = () => t.engine.store.counts(t.endpoint);
  async function chunkCount(): Promise<number | undefined> {
    const drain = { step: "drain", endpoint: t.endpoint, id, chunkLimit: 9, byteLimit: 99, from: 0 } as const;
    const [answer] = await t.engine.store.apply([drain], t.clock.now());
    return answer?.chunks.length;
  }

  const cancelAndComplete = () => [cancel(t.engine, t.endpoint, id), t.complete(t.worker("a"), id)] as const;

  test("R1, result first: the job is COMPLETED, and the answer to cancel says so", async () => {
    const answers = await inOrder(t.engine.store, ["complete", "cancel"], cancelAndComplete);
    expect(answers).toMatchObject([{ state: "COMPLETED" }, true]);
    expect((await t.status(id)).state).toBe("COMPLETED");
    expect(await stopsOfA()).toEqual([]);
  });

  test("R1, cancel first: the job is CANCELLED, and the result changes nothing", async () => {
    const answers = await inOrder(t.engine.store, ["cancel", "complete"], cancelAndComplete);
    expect(answers).toMatchObject([{ state: "CANCELLED" }, false]);
    expect(await t.status(id)).toMatchObject({ state: "CANCELLED", output: undefined });
    expect(await counts()).toMatchObject({ completed: 0, ignored: 1 });
  });

  test("R5, result first: the report sent again before the retry changes nothing", async () => {
    expect([await fail(), await fail()]).toEqual([true, false]);
    await retry(t.engine, t.endpoint, id);
    expect(await t.take(t.worker("b"))).toMatchObject([{ id, attempt: 2 }]);
  });

  test("R5, retry first: the report sent again does not fail the new attempt", async () => {
    await fail();
    await inOrder(t.engine.store, ["retry", "fail"], () => [retry(t.engine, t.endpoint, id), fail()]);
    expect((await t.status(id)).state).toBe("IN_QUEUE");
    await t.take(t.worker("b"));
    expect(await fail()).toBe(false);
    expect(await t.complete(t.worker("b"), id)).toBe(true);
  });

  test("R6, report first: a worker that has reported its attempt gets the next at once", async () => {
    await fail();
    await retry(t.engine, t.endpoint, id);
    expect(await t.take(t.worker("a"))).toMatchObject([{ id, attempt: 2 }]);
    // With its attempt on the wire the report of the last one is not taken for this one's.
    expect(await fail(1)).toBe(false);
    expect(await t.complete(t.worker("a"), id, "1", 2)).toBe(true);
  });

  test("R6, retry first: a worker that may still run the last attempt gets it after 10 s", async () => {
    await t.clock.advance(20 * SECOND);
    await sweepDeadlines(t.engine, true);
    await retry(t.engine, t.endpoint, id);
    const parked = t.take(t.worker("a"), { hold: 20 * SECOND });
    // Its report comes while the job waits.
    expect(await t.complete(t.worker("a"), id)).toBe(false);
    await t.clock.advance(10 * SECOND - 1);
    await offerWaiting(t.engine);
    expect((await t.status(id)).state).toBe("IN_QUEUE");
    await t.clock.advance(1);
    await offerWaiting(t.engine);
    expect(await parked).toMatchObject([{ id, attempt: 2 }]);
  });

  const silenceAndResult = () => [sweepSilentWorkers(t.engine), t.complete(t.worker("a"), id)] as const;

  test("R12, result first: the verdict that its worker is lost comes too late", async () => {
    await t.clock.advance(10 * SECOND);
    const [, isAccepted] = await inOrder(t.engine.store, ["complete", "giveBack"], silenceAndResult);
    expect(isAccepted).toBe(true);
    expect(await t.status(id)).toMatchObject({ state: "COMPLETED", attempt: 1, losses: 0 });
    expect(await counts()).toMatchObject({ completed: 1, retried: 0, queued: 0, running: 0 });
  });

  test("R12, loss first: the result changes nothing while the job waits, runs and has ended", async () => {
    await t.clock.advance(10 * SECOND);
    const [, isAccepted] = await inOrder(t.engine.store, ["giveBack", "complete"], silenceAndResult);
    expect(isAccepted).toBe(false);
    expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
    await t.take(t.worker("b"));
    expect(await t.complete(t.worker("a"), id, '"late"')).toBe(false);
    expect(await t.complete(t.worker("b"), id, '"right"')).toBe(true);
    expect(await t.complete(t.worker("a"), id, '"late"')).toBe(false);
    expect(text((await t.status(id)).output)).toBe('"right"');
    expect(await counts()).toMatchObject({ completed: 1, ignored: 3 });
  });

  test("R13, success first: a failure reported as well changes nothing", async () => {
    expect(await Promise.all([t.complete(t.worker("a"), id, '"done"'), fail()])).toEqual([true, false]);
    expect(await t.status(id)).toMatchObject({ state: "COMPLETED", error: undefined });
    expect(await counts()).toMatchObject({ completed: 1, failed: 0, ignored: 1 });
  });

  test("R13, failure first: a success reported as well changes nothing", async () => {
    expect(await Promise.all([fail(), t.complete(t.worker("a"), id, '"done"')])).toEqual([true, false]);
    expect(await t.status(id)).toMatchObject({ state: "FAILED", output: undefined });
    expect(await counts()).toMatchObject({ completed: 0, failed: 1, ignored: 1 });
  });

  const progressAndResult = () => [sendProgress(), t.complete(t.worker("a"), id, '"done"')] as const;

  test("R14, progress first: it ends nothing, and the result takes its place", async () => {
    const answers = await inOrder(t.engine.store, ["progress", "complete"], progressAndResult);
    expect(answers).toEqual([true, true]);
    expect(await t.status(id)).toMatchObject({ state: "COMPLETED", progress: undefined });
  });

  test("R14, result first: progress does not overwrite it", async () => {
    const answers = await inOrder(t.engine.store, ["complete", "progress"], progressAndResult);
    expect(answers).toEqual([false, true]);
    const job = await t.status(id);
    expect([job.state, text(job.output), job.progress]).toEqual(["COMPLETED", '"done"', undefined]);
  });

  test("R15, chunk first: it is there, whichever way the job ends", async () => {
    const answers = await inOrder(t.engine.store, ["append", "cancel"], () => [
      yieldOne(),
      cancel(t.engine, t.endpoint, id),
    ]);
    expect(answers).toMatchObject([true, { state: "CANCELLED" }]);
    expect(await chunkCount()).toBe(1);
  });

  type End = readonly [name: string, step: StepName, end: () => Promise<unknown>];
  const ends: readonly End[] = [
    ["complete", "complete", () => t.complete(t.worker("a"), id)],
    ["cancel", "cancel", () => cancel(t.engine, t.endpoint, id)],
    ["timeout", "timeOut", () => sweepDeadlines(t.engine, true)],
  ];
  test.each(ends)(
    "R15, end first: after a %s a chunk is ignored, and there is no row of it",
    async (_, step, end) => {
      await t.clock.advance(20 * SECOND);
      const [isAccepted] = await inOrder(t.engine.store, [step, "append"], () => [yieldOne(), end()]);
      expect(isAccepted).toBe(false);
      expect(await chunkCount()).toBe(0);
      expect(await counts()).toMatchObject({ ignored: 1 });
    },
  );

  const timeoutAndResult = () => [sweepDeadlines(t.engine, true), t.complete(t.worker("a"), id)] as const;

  test("R23, result first: at the very end of executionTimeout it still counts", async () => {
    await t.clock.advance(20 * SECOND);
    const [, isAccepted] = await inOrder(t.engine.store, ["complete", "timeOut"], timeoutAndResult);
    expect(isAccepted).toBe(true);
    expect((await t.status(id)).state).toBe("COMPLETED");
    expect(await counts()).toMatchObject({ completed: 1, failed: 0 });
  });

  test("R23, timeout first: the result changes nothing, and its worker has stopped", async () => {
    await t.clock.advance(20 * SECOND);
    const [, isAccepted] = await inOrder(t.engine.store, ["timeOut", "complete"], timeoutAndResult);
    expect(isAccepted).toBe(false);
    expect((await t.status(id)).state).toBe("TIMED_OUT");
    expect(await counts()).toMatchObject({ completed: 0, failed: 1 });
    expect(await stopsOfA()).toEqual([]);
  });
});
