import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { deadlineJobs } from "../../src/background/leader-jobs.ts";
import { runBackgroundJobs } from "../../src/background/run-background-jobs.ts";
import { seen } from "../../src/engine/seen.ts";
import { sweepDeadlines, sweepSilentWorkers } from "../../src/engine/sweep.ts";
import { ModelServer } from "../api-model/model-server.ts";
import { sqliteOnFile } from "../api-model/sqlite-stores.ts";
import { pingOf, TestEngine } from "../support/test-engine.ts";
import { gateBefore, inOrder } from "./in-order.ts";

const SECOND = 1_000;

describe("races of a worker", () => {
  let t: TestEngine;
  let id: string;
  beforeEach(async () => {
    t = await TestEngine.start();
    id = await t.submit({ executionTimeout: 20 * SECOND });
  });
  afterEach(() => t.stop());

  const ping = async (worker: string, ...ids: string[]) => seen(t.engine, t.worker(worker), pingOf(...ids));

  test("R10, hang-up first: the job of a caller known to be gone goes back as if never out", async () => {
    const later = await t.submit();
    const gone = new AbortController();
    const gate = gateBefore(t.engine.store);
    const call = t.take(t.worker("a"), { signal: gone.signal });
    await gate.waits("seen");
    gate.pass("seen");
    await gate.waits("take");
    gone.abort();
    gate.pass("take");
    gate.open();
    expect(await call).toEqual([]);
    expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 0, undelivered: 0 });
    expect(await t.take(t.worker("a"), { count: 2 })).toMatchObject([{ id }, { id: later }]);
  });

  test("R10, hand-out first: a job that nobody confirms goes back when its delivery lease ends", async () => {
    await t.take(t.worker("a"));
    await t.clock.advance(8 * SECOND - 1);
    await sweepDeadlines(t.engine, false);
    expect((await t.status(id)).state).toBe("IN_PROGRESS");
    await t.clock.advance(1);
    await sweepDeadlines(t.engine, false);
    expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 0, undelivered: 1 });
    expect(await t.take(t.worker("b"))).toMatchObject([{ id, attempt: 2 }]);
  });

  test("R11, ping first: it denies no job that is handed out after it", async () => {
    await inOrder(t.engine.store, ["seen", "take"], () => [ping("a"), t.take(t.worker("a"))]);
    await ping("a");
    expect(await t.status(id)).toMatchObject({ state: "IN_PROGRESS", denials: 0 });
  });

  test("R11, hand-out first: pings that set out before it deny nothing, two later ones do", async () => {
    await t.take(t.worker("a"));
    await ping("a");
    await t.clock.advance(6 * SECOND - 1);
    await ping("a");
    expect(await t.status(id)).toMatchObject({ state: "IN_PROGRESS", denials: 0 });
    await t.clock.advance(1);
    await ping("a");
    expect(await t.status(id)).toMatchObject({ state: "IN_PROGRESS", denials: 1 });
    await ping("a");
    expect((await t.status(id)).state).toBe("IN_QUEUE");
  });

  test("R20, heartbeat first: a late heartbeat within the lease renews it", async () => {
    await t.take(t.worker("a"));
    await ping("a", id);
    await t.clock.advance(9 * SECOND);
    await ping("a", id);
    await t.clock.advance(9 * SECOND);
    await sweepSilentWorkers(t.engine);
    expect(await t.status(id)).toMatchObject({ state: "IN_PROGRESS", attempt: 1 });
  });

  test("R20, loss first: a later heartbeat revives nothing, and proves no other attempt", async () => {
    await t.take(t.worker("a"));
    await ping("a", id);
    await t.clock.advance(9 * SECOND + 1);
    await inOrder(t.engine.store, ["giveBack", "seen"], () => [sweepSilentWorkers(t.engine), ping("a", id)]);
    expect(await t.status(id)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
    await t.take(t.worker("b"));
    await ping("a", id);
    expect(await t.status(id)).toMatchObject({ worker: "b", attempt: 2, proved: false });
  });

  /** The server stands still for a minute. Then its background jobs run before or after the waiting calls. */
  async function standStill(whenBack: "heartbeat first" | "sweep first"): Promise<void> {
    const long = await t.submit();
    const background = runBackgroundJobs(t.engine, deadlineJobs(t.engine));
    await t.clock.advance(10 * SECOND);
    await t.take(t.worker("a"), { count: 2 });
    await ping("a", long);
    const isPingFirst = whenBack === "heartbeat first";
    const cancel = t.clock.after(isPingFirst ? 1 : 50 * SECOND, () => void ping("a", long));
    await t.clock.standStill(50 * SECOND);
    cancel();
    await t.clock.advance(8 * SECOND);
    expect(await t.status(long)).toMatchObject({ state: "IN_PROGRESS", attempt: 1 });
    await background.stop();
  }

  test("R21, heartbeat first: a server that stood still takes no job of workers that call soon", async () => {
    await standStill("heartbeat first");
  });

  test("R21, sweep first: a server that stood still gives its workers time to call", async () => {
    await standStill("sweep first");
  });

  test("R21: a server that has just started gives its workers time to call", async () => {
    const long = await t.submit();
    await t.take(t.worker("a"), { count: 2 });
    await ping("a", long);
    await t.clock.advance(60 * SECOND);
    const background = runBackgroundJobs(t.engine, deadlineJobs(t.engine));
    await t.clock.advance(8 * SECOND);
    expect(await t.status(long)).toMatchObject({ state: "IN_PROGRESS", attempt: 1 });
    await t.clock.advance(2 * SECOND);
    expect(await t.status(long)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
    await background.stop();
  });

  test("R22, heartbeat first: a pinger without its worker holds the job until its timeout", async () => {
    await t.take(t.worker("a"));
    for (let second = 0; second < 20; second++) {
      await ping("a", id);
      await t.clock.advance(SECOND);
      await sweepSilentWorkers(t.engine);
    }
    expect((await t.status(id)).state).toBe("IN_PROGRESS");
    await sweepDeadlines(t.engine, false);
    expect((await t.status(id)).state).toBe("TIMED_OUT");
  });
});

describe("races of a server that is killed", () => {
  let server: ModelServer;
  let worker: string;
  let id: string;
  beforeEach(async () => {
    server = await ModelServer.start(sqliteOnFile, 1);
    worker = server.workers[0] ?? "";
    ({ id } = (await server.call({ method: "POST", path: "/run", body: '{"input":{}}' })).json);
  });
  afterEach(async () => expect(await server.end()).toEqual([]));

  const take = () => server.call({ method: "GET", path: `/job-take/${worker}`, worker });
  const stateOf = async (): Promise<string> =>
    (await server.call({ method: "GET", path: `/status/${id}` })).json.status;

  test("R9, crash first: a job whose hand-out was not committed waits, and nobody had it", async () => {
    const gate = gateBefore(server.engine.store);
    void take();
    await gate.waits("seen");
    gate.pass("seen");
    await gate.waits("take");
    await server.crash(1_000);
    expect(await stateOf()).toBe("IN_QUEUE");
    expect((await take()).json.id).toBe(id);
    expect((await server.engine.store.job(server.endpoint, id))?.attempt).toBe(1);
  });

  test("R9, hand-out first: a job that was handed out and never sent comes back by itself", async () => {
    void take();
    await server.settled();
    await server.crash(1_000);
    expect(await stateOf()).toBe("IN_PROGRESS");
    await server.pass(10_000);
    await sweepDeadlines(server.engine, false);
    expect(await stateOf()).toBe("IN_QUEUE");
    // Its worker could still have it.
    await server.pass(10_000);
    expect((await take()).json.id).toBe(id);
    expect((await server.engine.store.job(server.endpoint, id))?.attempt).toBe(2);
  });
});
