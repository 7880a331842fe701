import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { append } from "../../src/engine/append.ts";
import { awaitEnd } from "../../src/engine/await-end.ts";
import { cancel } from "../../src/engine/cancel.ts";
import { purge } from "../../src/engine/purge.ts";
import { readStream, type StreamRead } from "../../src/engine/read-stream.ts";
import { retry } from "../../src/engine/retry.ts";
import { seen } from "../../src/engine/seen.ts";
import { stops } from "../../src/engine/stops.ts";
import { forgetExpired, sweepDeadlines } from "../../src/engine/sweep.ts";
import { withdraw } from "../../src/engine/withdraw.ts";
import { pingOf, TestEngine } from "../support/test-engine.ts";
import { inOrder } from "./in-order.ts";

const SECOND = 1_000;

describe("races of a caller", () => {
  let t: TestEngine;
  let id: string;
  beforeEach(async () => {
    t = await TestEngine.start();
    // From here on what the worker asks for is one step.
    await t.take(t.worker("a"));
    id = await t.submit();
  });
  afterEach(() => t.stop());

  const never = new AbortController().signal;
  const stopsOfA = (hold = 0) => stops(t.engine, t.worker("a"), hold, never);
  const counts = () => t.engine.store.counts(t.endpoint);
  const forgotten = (job: string) => expect(t.status(job)).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });

  const takeAndCancel = () => [t.take(t.worker("a")), cancel(t.engine, t.endpoint, id)] as const;

  test("R2, take first: the job is out and CANCELLED, and its worker is told to stop it", async () => {
    const answers = await inOrder(t.engine.store, ["take", "cancel"], takeAndCancel);
    expect(answers).toMatchObject([[{ id }], { state: "CANCELLED" }]);
    expect(await stopsOfA()).toEqual([id]);
  });

  test("R2, cancel first: the job is never handed out", async () => {
    const answers = await inOrder(t.engine.store, ["cancel", "take"], takeAndCancel);
    expect(answers).toMatchObject([[], { state: "CANCELLED" }]);
    expect(await t.status(id)).toMatchObject({ attempt: 0, worker: undefined });
    expect(await stopsOfA()).toEqual([]);
  });

  test("R3, cancel first: a call that set out before the hand-out loses no stop", async () => {
    await t.take(t.worker("a"));
    await cancel(t.engine, t.endpoint, id);
    await seen(t.engine, t.worker("a"), pingOf());
    expect(await stopsOfA()).toEqual([id]);
    expect(await t.complete(t.worker("a"), id)).toBe(false);
  });

  test("R3, receipt first: a stop call that is open is answered at once", async () => {
    await t.take(t.worker("a"));
    await seen(t.engine, t.worker("a"), pingOf(id));
    const open = stopsOfA(3 * SECOND);
    await t.clock.advance(0);
    await cancel(t.engine, t.endpoint, id);
    expect(await open).toEqual([id]);
    expect(await t.complete(t.worker("a"), id)).toBe(false);
  });

  /** A job whose retention is over in this millisecond. */
  async function expiring(): Promise<string> {
    const job = await t.submit({ ttl: 10 * SECOND });
    await t.clock.advance(10 * SECOND);
    await sweepDeadlines(t.engine, true);
    await t.clock.advance(60 * SECOND - 1);
    return job;
  }

  test("R4, retry first: the job lives on, though its record was about to go", async () => {
    const job = await expiring();
    const [retried] = await inOrder(t.engine.store, ["retry", "forget"], () => [
      retry(t.engine, t.endpoint, job),
      forgetExpired(t.engine),
    ]);
    expect(retried.state).toBe("IN_QUEUE");
    await t.clock.advance(1);
    await forgetExpired(t.engine);
    expect((await t.status(job)).state).toBe("IN_QUEUE");
  });

  test("R4, expiry first: the retry is refused as if the job had never been", async () => {
    const job = await expiring();
    await t.clock.advance(1);
    const [refused] = await inOrder(t.engine.store, ["forget", "retry"], () => [
      retry(t.engine, t.endpoint, job).catch((error: unknown) => error),
      forgetExpired(t.engine),
    ]);
    expect(refused).toMatchObject({ code: "JOB_NOT_FOUND" });
    await forgotten(job);
  });

  const takeAndPurge = () => [t.take(t.worker("a")), purge(t.engine, t.endpoint)] as const;

  test("R7, take first: a job that was handed out is not purged, and not counted", async () => {
    const later = await t.submit();
    const answers = await inOrder(t.engine.store, ["take", "purge"], takeAndPurge);
    expect(answers).toMatchObject([[{ id }], 1]);
    await forgotten(later);
    expect(await counts()).toMatchObject({ queued: 0, running: 1 });
  });

  test("R7, purge first: what is purged is never handed out", async () => {
    const answers = await inOrder(t.engine.store, ["purge", "take"], takeAndPurge);
    expect(answers).toEqual([[], 1]);
    await forgotten(id);
    expect(await counts()).toMatchObject({ queued: 0, running: 0 });
  });

  const waitForEnd = (signal = never) =>
    awaitEnd(t.engine, t.endpoint, id, t.clock.now() + 90 * SECOND, signal);

  async function purgeAndReturn(
    order: readonly ["giveBack" | "purge", "giveBack" | "purge"],
  ): Promise<number> {
    const [job] = await t.take(t.worker("a"));
    if (job === undefined) throw new Error("there was no job to take");
    const [removed] = await inOrder(t.engine.store, order, () => [
      purge(t.engine, t.endpoint),
      withdraw(t.engine, t.worker("a"), [job]),
    ]);
    return removed;
  }

  test("R8, purge first: a job that comes back a moment later survives, and is not counted", async () => {
    const waiter = waitForEnd();
    expect(await purgeAndReturn(["purge", "giveBack"])).toBe(0);
    expect((await t.status(id)).state).toBe("IN_QUEUE");
    await cancel(t.engine, t.endpoint, id);
    expect(await waiter).toMatchObject({ state: "CANCELLED" });
  });

  test("R8, return first: the job is purged and counted, and calls that wait for it end", async () => {
    const waiter = waitForEnd();
    expect(await purgeAndReturn(["giveBack", "purge"])).toBe(1);
    expect(await waiter).toBeUndefined();
    await forgotten(id);
  });

  const sendChunk = () => {
    const chunks = [new TextEncoder().encode('{"output":1}')];
    return append(t.engine, { worker: t.worker("a"), job: id, attempt: undefined, chunks });
  };
  const read = (from?: number, signal = never): Promise<StreamRead> =>
    readStream(t.engine, { endpoint: t.endpoint, id, from, hold: 5 * SECOND, signal });

  test("R16, read first: the chunk that comes with the end is in the answer that tells the end", async () => {
    await t.take(t.worker("a"));
    await sendChunk();
    const [first] = await inOrder(t.engine.store, ["drain", "append"], () => [read(), sendChunk()]);
    expect([first.chunks.length, first.isLast]).toEqual([1, false]);
    await t.complete(t.worker("a"), id);
    const last = await read();
    expect([last.chunks.length, last.isLast, last.job.state]).toEqual([1, true, "COMPLETED"]);
  });

  test("R16, end first: the first answer that tells the end has all chunks", async () => {
    await t.take(t.worker("a"));
    await sendChunk();
    await sendChunk();
    const [last] = await inOrder(t.engine.store, ["complete", "drain"], () => [
      read(),
      t.complete(t.worker("a"), id),
    ]);
    expect([last.chunks.length, last.isLast, last.job.state]).toEqual([2, true, "COMPLETED"]);
  });

  test("R17, read first: what a reader lost on its way is read again by number", async () => {
    await t.take(t.worker("a"));
    await sendChunk();
    expect((await read()).next).toBe(1);
    await t.complete(t.worker("a"), id);
    expect((await read()).chunks).toEqual([]);
    expect((await read(0)).chunks.length).toBe(1);
  });

  test("R17, hang-up first: a reader that left before the chunk came did not consume it", async () => {
    await t.take(t.worker("a"));
    const gone = new AbortController();
    const left = read(undefined, gone.signal);
    await t.clock.advance(0);
    gone.abort();
    await sendChunk();
    expect((await left).chunks).toEqual([]);
    expect((await read()).chunks.length).toBe(1);
  });

  test.each(["it waits", "it runs"])(
    "R24, hang-up first: a caller that leaves while %s frees its place",
    async (when) => {
      const gone = new AbortController();
      if (when === "it runs") await t.take(t.worker("a"));
      const waiter = waitForEnd(gone.signal);
      await t.clock.advance(0);
      gone.abort();
      expect((await waiter)?.state).toBe(when === "it runs" ? "IN_PROGRESS" : "IN_QUEUE");
      await t.take(t.worker("a"));
      expect(await t.complete(t.worker("a"), id)).toBe(true);
      expect((await t.status(id)).state).toBe("COMPLETED");
    },
  );

  test("R24, end first: a caller that leaves between the end and its answer changes nothing", async () => {
    const gone = new AbortController();
    await t.take(t.worker("a"));
    const waiter = waitForEnd(gone.signal);
    const completed = t.complete(t.worker("a"), id);
    void completed.then(() => gone.abort());
    expect(await completed).toBe(true);
    expect((await waiter)?.state).toBe("COMPLETED");
    expect((await t.status(id)).state).toBe("COMPLETED");
  });
});
