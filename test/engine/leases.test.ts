import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { append } from "../../src/engine/append.ts";
import { progress } from "../../src/engine/progress.ts";
import { seen } from "../../src/engine/seen.ts";
import { workerGone } from "../../src/engine/worker-gone.ts";
import { pingOf, SHOWS_ALL, SHOWS_NONE, TestEngine } from "../support/test-engine.ts";

const SECOND = 1_000;

describe("a lost job is found by itself", () => {
  let t: TestEngine;
  beforeEach(async () => {
    t = await TestEngine.start();
    await t.findLostJobs();
  });
  afterEach(() => t.stop());

  /** Submits a job and hands it to the worker. */
  async function handOut(worker: string): Promise<string> {
    const id = await t.submit();
    await t.take(t.worker(worker), { sighting: SHOWS_NONE });
    return id;
  }

  test("R9, R10: a hand-out without proof of receipt is repeated within 10 s, and no loss", async () => {
    const id = await handOut("a");
    await t.clock.advance(7 * SECOND);
    expect((await t.status(id)).state).toBe("IN_PROGRESS");
    await t.clock.advance(2 * SECOND);
    expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 0, undelivered: 1 });
    expect(await t.take(t.worker("b"))).toMatchObject([{ id, attempt: 2 }]);
  });

  test("a job that nobody ever confirms ends FAILED after 20 hand-outs, with the reason", async () => {
    const id = await handOut("a");
    for (let handOuts = 1; handOuts < 20; handOuts++) {
      await t.clock.advance(9 * SECOND);
      await t.take(t.worker(`w${handOuts}`));
    }
    await t.clock.advance(9 * SECOND);
    const job = await t.status(id);
    expect(job.state).toBe("FAILED");
    expect(errorText(job)).toBe("handed out 20 times, and no worker confirmed that it received the job");
  });

  test("R16, R20: a worker keeps its job by pings; three missed heartbeats lose it in 10 s", async () => {
    const id = await handOut("a");
    for (let heartbeat = 0; heartbeat < 10; heartbeat++) {
      await seen(t.engine, t.worker("a"), pingOf(id));
      await t.clock.advance(3 * SECOND);
    }
    expect((await t.status(id)).state).toBe("IN_PROGRESS");
    await t.clock.advance(7 * SECOND);
    expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
  });

  test("R20: a late heartbeat within the lease renews it", async () => {
    const id = await handOut("a");
    await seen(t.engine, t.worker("a"), pingOf(id));
    for (let heartbeat = 0; heartbeat < 5; heartbeat++) {
      await t.clock.advance(8 * SECOND);
      await seen(t.engine, t.worker("a"), pingOf(id));
    }
    expect((await t.status(id)).state).toBe("IN_PROGRESS");
  });

  test("a job that two pings in a row leave out is lost; one ping is not enough", async () => {
    const id = await handOut("a");
    await seen(t.engine, t.worker("a"), pingOf(id));
    await t.clock.advance(6 * SECOND);
    await seen(t.engine, t.worker("a"), pingOf());
    await seen(t.engine, t.worker("a"), pingOf(id));
    await seen(t.engine, t.worker("a"), pingOf());
    expect((await t.status(id)).state).toBe("IN_PROGRESS");
    await seen(t.engine, t.worker("a"), pingOf());
    expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
  });

  test("a worker that comes back without its job, under the same id, gets it again at once", async () => {
    const id = await handOut("a");
    await seen(t.engine, t.worker("a"), pingOf(id));
    await t.clock.advance(4 * SECOND);
    expect(await t.take(t.worker("a"), { sighting: SHOWS_NONE })).toMatchObject([{ id, attempt: 2 }]);
  });

  test("a call of a restarted worker that is too early to count returns soon, to be repeated", async () => {
    const id = await handOut("a");
    await t.clock.advance(SECOND);
    const first = t.take(t.worker("a"), { sighting: SHOWS_NONE, hold: 20 * SECOND });
    await t.clock.advance(3 * SECOND);
    expect(await first).toEqual([]);
    expect(await t.take(t.worker("a"), { sighting: SHOWS_NONE })).toMatchObject([{ id, attempt: 2 }]);
  });

  test("job_in_progress=1 proves receipt", async () => {
    const id = await handOut("a");
    await t.clock.advance(2 * SECOND);
    await t.take(t.worker("a"), { sighting: SHOWS_ALL });
    expect((await t.status(id)).proved).toBe(true);
  });

  test("job_in_progress=1 proves nothing of several hand-outs: the worker may have lost any", async () => {
    const ids = [await handOut("a"), await handOut("a")];
    // So late that what the call says is written.
    await t.clock.advance(2 * SECOND);
    await t.take(t.worker("a"), { sighting: SHOWS_ALL });
    for (const id of ids) expect((await t.status(id)).proved).toBe(false);
  });

  test("invariant 4: chunks and progress renew the lease of a worker that does not ping", async () => {
    const id = await handOut("a");
    const job = { worker: t.worker("a"), job: id, attempt: undefined };
    for (let call = 0; call < 5; call++) {
      await append(t.engine, { ...job, chunks: [new TextEncoder().encode("{}")] });
      await t.clock.advance(8 * SECOND);
      await progress(t.engine, { ...job, value: new TextEncoder().encode("1") });
      await t.clock.advance(8 * SECOND);
    }
    expect(await t.status(id)).toMatchObject({ state: "IN_PROGRESS", attempt: 1 });
  });

  test("invariant 4: a result renews the lease of a worker that has another job", async () => {
    const ids = [await handOut("a"), await handOut("a")];
    await seen(t.engine, t.worker("a"), pingOf(...ids));
    await t.clock.advance(8 * SECOND);
    await t.complete(t.worker("a"), ids[0] ?? "");
    await t.clock.advance(8 * SECOND);
    expect(await t.status(ids[1] ?? "")).toMatchObject({ state: "IN_PROGRESS", attempt: 1 });
  });

  test("the third loss ends the job FAILED, with the reason", async () => {
    const id = await t.submit();
    for (const worker of ["a", "b", "c"]) {
      await t.take(t.worker(worker));
      await seen(t.engine, t.worker(worker), pingOf(id));
      await t.clock.advance(10 * SECOND);
    }
    const job = await t.status(id);
    expect(job).toMatchObject({ state: "FAILED", attempt: 3 });
    expect(errorText(job)).toBe(
      "the worker was lost 3 times, the last time because the worker stopped answering",
    );
  });

  test("a job lost at a silent worker does not go back to it before 10 s are over", async () => {
    const id = await handOut("a");
    await seen(t.engine, t.worker("a"), pingOf(id));
    await t.clock.advance(9.5 * SECOND);
    expect(await t.take(t.worker("a"))).toEqual([]);
    await t.clock.advance(9 * SECOND);
    expect(await t.take(t.worker("a"))).toEqual([]);
    await t.clock.advance(SECOND);
    expect(await t.take(t.worker("a"))).toMatchObject([{ id }]);
  });

  test("a parked call of that worker gets it when the 10 s are over", async () => {
    const id = await handOut("a");
    await seen(t.engine, t.worker("a"), pingOf(id));
    await t.clock.advance(9.5 * SECOND);
    const parked = t.take(t.worker("a"), { hold: 20 * SECOND });
    await t.clock.advance(12 * SECOND);
    expect(await parked).toMatchObject([{ id }]);
  });

  test("R10: the parked call of a silent worker keeps no job from another worker", async () => {
    const id = await handOut("a");
    await seen(t.engine, t.worker("a"), pingOf(id));
    const open = t.take(t.worker("a"), { hold: 20 * SECOND, sighting: SHOWS_ALL });
    await t.clock.advance(SECOND);
    const other = t.take(t.worker("b"), { hold: 20 * SECOND });
    await t.clock.advance(8.5 * SECOND);
    expect(await other).toMatchObject([{ id, attempt: 2 }]);
    // Nor does it draw a job that comes later.
    expect(await open).toEqual([]);
  });

  test("R10: a worker that may not have a job does not block the others", async () => {
    const busy = await handOut("b");
    const id = await handOut("a");
    await t.clock.advance(SECOND);
    await seen(t.engine, t.worker("b"), pingOf(busy));
    const other = t.take(t.worker("b"), { hold: 20 * SECOND, sighting: SHOWS_ALL });
    await t.clock.advance(6 * SECOND);
    // It calls again between the decision that the job is lost and the commit of it, and has the fewest jobs.
    const { parkedTakes } = t.engine;
    const release = parkedTakes.release.bind(parkedTakes);
    parkedTakes.release = (endpoint, worker) => {
      release(endpoint, worker);
      parkedTakes.park(endpoint, worker, 1, t.clock.now() + 20 * SECOND);
    };
    await t.clock.advance(1.5 * SECOND);
    expect((await t.status(id)).worker).toBe("b");
    expect(await other).toMatchObject([{ id, attempt: 2 }]);
  });

  test("R21: a worker that died while the server stood still is found within 10 s", async () => {
    const id = await handOut("a");
    await seen(t.engine, t.worker("a"), pingOf(id));
    await t.clock.standStill(60 * SECOND);
    await t.clock.advance(10 * SECOND);
    expect((await t.status(id)).state).toBe("IN_QUEUE");
  });

  test("the jobs of a dead worker go out again at once; a stopped worker loses none", async () => {
    const id = await handOut("a");
    await workerGone(t.engine, t.endpoint, "a", "died");
    expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
    await t.take(t.worker("b"));
    await seen(t.engine, t.worker("b"), pingOf(id));
    await workerGone(t.engine, t.endpoint, "b", "withdrawn");
    expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 1, undelivered: 0 });
  });

  function errorText(job: { error: unknown }): string {
    return JSON.parse(new TextDecoder().decode(job.error as Uint8Array));
  }
});
