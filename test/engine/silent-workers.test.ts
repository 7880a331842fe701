import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openCall } from "../../src/engine/open-calls.ts";
import { BARE_CALL, seen } from "../../src/engine/seen.ts";
import { workerGone } from "../../src/engine/worker-gone.ts";
import { pingOf, SHOWS_ALL, SHOWS_NONE, TestEngine } from "../support/test-engine.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe("a worker that shares its token and never pings (decision 0033)", () => {
  let t: TestEngine;
  beforeEach(async () => {
    t = await TestEngine.start();
    await t.findLostJobs();
  });
  afterEach(() => t.stop());

  const silent = () => t.worker("many-1", true);
  const takeAs = (worker = silent(), sighting = SHOWS_NONE) => t.take(worker, { sighting });
  const live = async () =>
    (await t.engine.store.workers(t.endpoint, t.clock.now() - 9 * SECOND)).map(({ worker }) => worker);
  const call = (worker = silent()) => seen(t.engine, worker, BARE_CALL);

  test("keeps its job without a call, and its result counts", async () => {
    const id = await t.submit();
    await takeAs();
    await t.clock.advance(9 * MINUTE);
    expect(await t.status(id)).toMatchObject({ state: "IN_PROGRESS", attempt: 1, isSilent: true });
    expect(await t.complete(silent(), id)).toBe(true);
  });

  test("ends a job it never reports at the execution timeout, and the error names the pings", async () => {
    const id = await t.submit({ executionTimeout: MINUTE });
    await takeAs();
    await t.clock.advance(MINUTE);
    const job = await t.status(id);
    expect(job).toMatchObject({ state: "TIMED_OUT", losses: 0, undelivered: 0 });
    expect(errorText(job)).toMatch(/^executionTimeout exceeded.*sends no pings.*RUNPOD_POD_ID/);
  });

  test("loses its job when it asks for jobs and says that it has none, however soon", async () => {
    const id = await t.submit();
    expect(await takeAs()).toMatchObject([{ id, attempt: 1 }]);
    expect(await takeAs()).toMatchObject([{ id, attempt: 2 }]);
    expect(await t.status(id)).toMatchObject({ losses: 1, undelivered: 0 });
    await takeAs();
    expect(await takeAs()).toEqual([]);
    const job = await t.status(id);
    expect(job).toMatchObject({ state: "FAILED", attempt: 3 });
    expect(errorText(job)).toBe(
      "the worker was lost 3 times, the last time because the worker no longer had the job " +
        "and sent no result",
    );
  });

  test("shows nothing by job_in_progress=1: the job it has may be another one", async () => {
    const id = await t.submit();
    await takeAs();
    await takeAs(silent(), SHOWS_ALL);
    expect(await t.status(id)).toMatchObject({ state: "IN_PROGRESS", proved: false });
  });

  test("has leases from its first ping on, also for the job that it runs", async () => {
    const id = await t.submit();
    await takeAs();
    await t.clock.advance(MINUTE);
    await seen(t.engine, silent(), pingOf(id));
    expect(await t.status(id)).toMatchObject({ isSilent: false, proved: true });
    await t.clock.advance(10 * SECOND);
    expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
    await t.clock.advance(10 * SECOND);
    expect(await takeAs()).toMatchObject([{ id, attempt: 2 }]);
    expect(await t.status(id)).toMatchObject({ isSilent: false });
  });

  test("counts as ready for as long as it waits for a job", async () => {
    const gone = new AbortController();
    const waiting = t.take(silent(), { hold: 20 * SECOND, sighting: SHOWS_NONE, signal: gone.signal });
    await t.clock.advance(15 * SECOND);
    expect(await live()).toEqual([silent().id]);
    gone.abort();
    expect(await waiting).toEqual([]);
  });

  test("keeps its turn among the calls that wait", async () => {
    const first = t.take(silent(), { hold: 20 * SECOND, sighting: SHOWS_NONE });
    await t.clock.advance(SECOND);
    const second = t.take(t.worker("many-2", true), { hold: 20 * SECOND, sighting: SHOWS_NONE });
    await t.clock.advance(2.5 * SECOND);
    const id = await t.submit();
    expect(await first).toMatchObject([{ id }]);
    await t.clock.advance(20 * SECOND);
    expect(await second).toEqual([]);
  });

  test("gets the error if it cannot be stored that it waits", async () => {
    const waiting = t.take(silent(), { hold: 20 * SECOND, sighting: SHOWS_NONE }).catch(String);
    await t.clock.advance(SECOND);
    const { store } = t.engine;
    const apply = store.apply.bind(store);
    store.apply = (steps, now) =>
      steps[0]?.step === "seen" ? Promise.reject(new Error("disk")) : apply(steps, now);
    await t.clock.advance(2 * SECOND);
    store.apply = apply;
    expect(await waiting).toBe("Error: disk");
    expect(t.engine.parkedTakes.endpoints()).toEqual([]);
  });

  test("loses its job when it is known to be gone", async () => {
    const id = await t.submit();
    await takeAs();
    await workerGone(t.engine, t.endpoint, silent().id, "died", "exit code 1");
    expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
  });

  describe("and a worker that hangs up", () => {
    const watched = (worker = silent(), gone = new AbortController()) => ({
      gone,
      open: openCall(t.engine, worker, gone.signal),
    });

    test("before the reply was sent gives its job back, and that is no loss", async () => {
      const id = await t.submit();
      const { open, gone } = watched();
      open.brings(await takeAs());
      open[Symbol.dispose]();
      gone.abort();
      await t.clock.advance(0);
      expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 0, undelivered: 1 });
    });

    test("and makes no other call is dead after its lease: a loss", async () => {
      const id = await t.submit();
      await takeAs();
      watched().gone.abort();
      await t.clock.advance(8 * SECOND);
      expect((await t.status(id)).state).toBe("IN_PROGRESS");
      await t.clock.advance(2 * SECOND);
      expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
    });

    test("and calls again keeps its job", async () => {
      const id = await t.submit();
      await takeAs();
      watched().gone.abort();
      await t.clock.advance(SECOND / 10);
      await call();
      await t.clock.advance(MINUTE);
      expect(await t.status(id)).toMatchObject({ state: "IN_PROGRESS", attempt: 1 });
    });

    test("but has another call open keeps its job", async () => {
      const id = await t.submit();
      await takeAs();
      using _other = watched().open;
      watched().gone.abort();
      await t.clock.advance(MINUTE);
      expect(await t.status(id)).toMatchObject({ state: "IN_PROGRESS", attempt: 1 });
    });

    test("when the server stops keeps its job", async () => {
      const id = await t.submit();
      await takeAs();
      t.engine.isStopping = true;
      watched().gone.abort();
      await t.clock.advance(MINUTE);
      expect((await t.status(id)).state).toBe("IN_PROGRESS");
    });

    test("and never calls again is forgotten after 10 minutes", async () => {
      await takeAs();
      watched().gone.abort();
      await t.clock.advance(9 * MINUTE);
      expect(t.engine.hasPinged.size).toBe(1);
      await t.clock.advance(2 * MINUTE);
      expect([t.engine.hasPinged.size, t.engine.contactWritten.size]).toEqual([0, 0]);
    });

    test("R22: while its pings go on loses its job, and the pings renew nothing", async () => {
      const worker = t.worker("own");
      const id = await t.submit();
      await takeAs(worker);
      await seen(t.engine, worker, pingOf(id));
      watched(worker).gone.abort();
      for (let heartbeat = 0; heartbeat < 4; heartbeat++) {
        await t.clock.advance(3 * SECOND);
        await seen(t.engine, worker, pingOf(id));
      }
      expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
      expect(await live()).toEqual([]);
      expect(await takeAs(t.worker("other"))).toMatchObject([{ id, attempt: 2 }]);
    });

    test("R22: and took the job only after that keeps it", async () => {
      const worker = t.worker("own");
      watched(worker).gone.abort();
      await t.clock.advance(SECOND);
      const id = await t.submit();
      await takeAs(worker);
      for (let heartbeat = 0; heartbeat < 10; heartbeat++) {
        await seen(t.engine, worker, pingOf(id));
        await t.clock.advance(3 * SECOND);
      }
      expect((await t.status(id)).state).toBe("IN_PROGRESS");
    });
  });
});

function errorText({ error }: { readonly error?: unknown }): string {
  return error instanceof Uint8Array ? String(JSON.parse(new TextDecoder().decode(error))) : "";
}
