import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { onAbort } from "../../src/domain/on-abort.ts";
import { awaitEnd } from "../../src/engine/await-end.ts";
import { exchange } from "../../src/engine/exchange.ts";
import { followStream } from "../../src/engine/follow-stream.ts";
import { ownJob } from "../../src/engine/cancel.ts";
import { readStream } from "../../src/engine/read-stream.ts";
import { stops } from "../../src/engine/stops.ts";
import { SHOWS_NONE, TestEngine } from "../support/test-engine.ts";

/** Time stands still: a call that waits for the end of its hold would never return. */
const HOLD = 60_000;

describe("a call whose caller has gone before it begins to wait", () => {
  let t: TestEngine;
  let id: string;
  beforeEach(async () => {
    t = await TestEngine.start();
    id = await t.submit();
  });
  afterEach(() => t.stop());

  const gone = AbortSignal.abort();

  test("awaitEnd returns the job as it is", async () => {
    const until = t.clock.now() + HOLD;
    expect(await awaitEnd(t.engine, t.endpoint, id, until, gone)).toMatchObject({ state: "IN_QUEUE" });
  });

  test("readStream returns nothing", async () => {
    const call = { endpoint: t.endpoint, id, from: undefined, hold: HOLD, signal: gone };
    expect(await readStream(t.engine, call)).toMatchObject({ chunks: [], isLast: false });
  });

  test("followStream ends", async () => {
    const place = { from: 0, attempt: undefined };
    const call = { endpoint: t.endpoint, id, place, silence: HOLD, signal: gone };
    expect(await Array.fromAsync(followStream(t.engine, call))).toEqual([]);
  });

  test("stops returns nothing", async () => {
    expect(await stops(t.engine, t.worker("a"), HOLD, gone)).toEqual([]);
  });

  test("take returns nothing, and the job stays in the queue", async () => {
    expect(await t.take(t.worker("a"), { hold: HOLD, signal: gone, sighting: SHOWS_NONE })).toEqual([]);
    expect((await t.status(id)).state).toBe("IN_QUEUE");
  });

  for (const count of [0, 1]) {
    test(`exchange for ${count} jobs returns nothing`, async () => {
      const nothing = { yields: [], progress: [], results: [], wantsReplacement: false };
      await t.take(t.worker("another"));
      const answer = await exchange(t.engine, {
        ...nothing,
        worker: t.worker("a"),
        sighting: SHOWS_NONE,
        count,
        hold: HOLD,
        signal: gone,
      });
      expect(answer).toEqual({ jobs: [], stop: [], ignored: [] });
    });
  }

  test("a job of its own is cancelled", async () => {
    await using _job = ownJob(t.engine, t.log, t.endpoint, id, gone);
    await t.engine.store.apply([], t.clock.now());
    expect((await t.status(id)).state).toBe("CANCELLED");
  });
});

describe("onAbort", () => {
  test("calls once, at once or when the signal aborts, and not after it was taken back", () => {
    let calls = 0;
    const count = (): void => void calls++;
    const controller = new AbortController();
    onAbort(controller.signal, count);
    onAbort(controller.signal, count)();
    expect(calls).toBe(0);
    controller.abort();
    expect(calls).toBe(1);
    onAbort(controller.signal, count)();
    expect(calls).toBe(2);
  });
});
