import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { seen } from "../../src/engine/seen.ts";
import { stopEngine } from "../../src/engine/create-engine.ts";
import { withdraw } from "../../src/engine/withdraw.ts";
import { gateBefore } from "../races/in-order.ts";
import { pingOf, TestEngine } from "../support/test-engine.ts";

describe("each job goes to one worker, the oldest job first", () => {
  let t: TestEngine;
  beforeEach(async () => {
    t = await TestEngine.start();
  });
  afterEach(() => t.stop());

  const idsOf = (jobs: readonly { id: string }[]): string[] => jobs.map((job) => job.id);

  test("P7: waiting jobs go out oldest first, and at most as many as asked for", async () => {
    const ids = [await t.submit(), await t.submit(), await t.submit()];
    expect(idsOf(await t.take(t.worker("a"), { count: 2 }))).toEqual(ids.slice(0, 2));
    expect(idsOf(await t.take(t.worker("a"), { count: 2 }))).toEqual(ids.slice(2));
    expect(await t.take(t.worker("a"))).toEqual([]);
  });

  test("a parked call gets the job with the commit that stores it", async () => {
    const parked = t.take(t.worker("a"), { hold: 20_000 });
    await t.clock.advance(0);
    const commits = countTakes(t);
    const id = await t.submit();
    expect(idsOf(await parked)).toEqual([id]);
    expect(commits()).toBe(1);
    expect((await t.status(id)).worker).toBe("a");
  });

  test("a parked call returns empty when its hold is over, and not before", async () => {
    let isAnswered = false;
    const parked = t.take(t.worker("a"), { hold: 20_000 }).finally(() => (isAnswered = true));
    await t.clock.advance(19_999);
    expect(isAnswered).toBe(false);
    await t.clock.advance(1);
    expect(await parked).toEqual([]);
  });

  test("design row 26: the least loaded parked worker is first, then the longest parked one", async () => {
    await t.submit();
    await t.take(t.worker("busy"));
    const answered: string[] = [];
    const park = (name: string) =>
      t.take(t.worker(name), { hold: 20_000 }).then((jobs) => jobs.length > 0 && answered.push(name));
    const parked = [park("busy"), park("first"), park("second")];
    await t.clock.advance(0);
    for (let i = 0; i < 3; i++) await t.submit();
    await Promise.all(parked);
    expect(answered).toEqual(["first", "second", "busy"]);
  });

  test("jobs that are stored together reach a parked call with several places together", async () => {
    const parked = t.take(t.worker("a"), { count: 8, hold: 20_000 });
    await t.clock.advance(0);
    const ids = await Promise.all([t.submit(), t.submit(), t.submit()]);
    expect(idsOf(await parked)).toEqual(ids);
  });

  test("a parked call gets no more jobs than it asked for, even if several are stored together", async () => {
    const parked = t.take(t.worker("a"), { hold: 20_000 });
    await t.clock.advance(0);
    const ids = await Promise.all([t.submit(), t.submit()]);
    expect(idsOf(await parked)).toEqual(ids.slice(0, 1));
    expect((await t.status(ids[1] ?? "")).state).toBe("IN_QUEUE");
  });

  test("a job stored with the commit that hands out another reaches a parked call at once", async () => {
    // Both have called a moment ago, so that what they ask for now is their only step.
    for (const worker of ["a", "b"]) await t.take(t.worker(worker));
    const earlier = await t.submit();
    const calls = [t.take(t.worker("a"), { hold: 20_000 }), t.take(t.worker("b"), { hold: 20_000 })];
    const later = await t.submit();
    await t.clock.advance(0);
    const answered = Promise.all(calls).then((jobs) => idsOf(jobs.flat()));
    expect(await Promise.race([answered, t.clock.advance(0)])).toEqual([earlier, later]);
  });

  describe("jobs that come back one after the other each reach a parked call at once", () => {
    /** The worker has forgotten its jobs, and two pings say so. */
    async function deny(worker: string): Promise<void> {
      await t.clock.advance(6_000);
      for (let pings = 0; pings < 2; pings++) await seen(t.engine, t.worker(worker), pingOf());
    }

    test("also when the first call gets the second job", async () => {
      await t.submit();
      await t.submit();
      const held = await t.take(t.worker("c"), { count: 2 });
      const parked = [t.take(t.worker("a"), { hold: 20_000 }), t.take(t.worker("b"), { hold: 20_000 })];
      await t.clock.advance(0);
      const [older, newer] = held;
      if (older === undefined || newer === undefined) throw new Error("there were no two jobs to take");
      const gate = gateBefore(t.engine.store);
      const back = [withdraw(t.engine, t.worker("c"), [newer]), withdraw(t.engine, t.worker("c"), [older])];
      await gate.waits("giveBack");
      gate.pass("giveBack");
      await gate.waits("take");
      // The older one comes back before the newer one, which was offered, has been taken.
      gate.pass("giveBack", "take");
      gate.open();
      await Promise.all(back);
      expect(idsOf((await Promise.all(parked)).flat())).toEqual([older.id, newer.id]);
    });

    test("also if the first job has expired, and the only call was asked for it", async () => {
      await t.submit({ ttl: 10_000 });
      const living = await t.submit();
      await t.take(t.worker("c"), { count: 2 });
      await t.clock.advance(5_000);
      const parked = t.take(t.worker("a"), { hold: 20_000 });
      await deny("c");
      await t.clock.advance(0);
      expect((await t.status(living)).state).toBe("IN_PROGRESS");
      expect(idsOf(await parked)).toEqual([living]);
    });
  });

  test("no job is handed out twice, and none is left, with many submitters and takers at once", async () => {
    const taken: string[] = [];
    const takers = Array.from({ length: 8 }, async (_, index) => {
      for (;;) {
        const jobs = await t.take(t.worker(`w${index}`), { hold: 1_000, count: 1 + (index % 3) });
        if (jobs.length === 0) return;
        for (const job of jobs) {
          taken.push(job.id);
          await t.complete(t.worker(`w${index}`), job.id);
        }
      }
    });
    const ids = await Promise.all(Array.from({ length: 200 }, () => t.submit()));
    for (let i = 0; i < 40; i++) await t.clock.advance(100);
    await Promise.all(takers);
    expect(taken.toSorted()).toEqual(ids.toSorted());
  });

  test("a call that leaves before a job comes is given none", async () => {
    const gone = new AbortController();
    const parked = t.take(t.worker("a"), { hold: 20_000, signal: gone.signal });
    await t.clock.advance(0);
    gone.abort();
    expect(await parked).toEqual([]);
    expect((await t.status(await t.submit())).state).toBe("IN_QUEUE");
  });

  test("P23: a stopping server leaves waiting jobs to the next server", async () => {
    const id = await t.submit();
    stopEngine(t.engine);
    expect(await t.take(t.worker("a"))).toEqual([]);
    expect((await t.status(id)).state).toBe("IN_QUEUE");
  });

  test("P23: parked calls return empty when the server stops", async () => {
    const parked = t.take(t.worker("a"), { hold: 20_000 });
    await t.clock.advance(0);
    stopEngine(t.engine);
    expect(await parked).toEqual([]);
    await expect(t.submit()).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
    expect(await t.take(t.worker("a"), { hold: 20_000 })).toEqual([]);
  });
});

/** Counts the calls of `apply` that take a job. */
function countTakes(t: TestEngine): () => number {
  const { store } = t.engine;
  const { apply } = store;
  let count = 0;
  store.apply = (steps, now) => {
    if (steps.some((step) => step.step === "take" || step.step === "enqueue")) count++;
    return apply(steps, now);
  };
  return () => count;
}
