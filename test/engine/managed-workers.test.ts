import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { WorkerIdentity } from "../../src/domain/worker.ts";
import { askReplacement } from "../../src/engine/fleet-state.ts";
import { cancel } from "../../src/engine/cancel.ts";
import { endpointLoad } from "../../src/engine/health.ts";
import { health } from "../../src/engine/health.ts";
import { ignoresStop } from "../../src/engine/stops.ts";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { retireWorker } from "../../src/engine/worker-gone.ts";
import { seen } from "../../src/engine/seen.ts";
import { stops } from "../../src/engine/stops.ts";
import { pingOf, SHOWS_ALL, SHOWS_NONE, TestEngine } from "../support/test-engine.ts";

describe("workers that Forebay started", () => {
  let on: TestEngine;
  beforeEach(async () => {
    on = await TestEngine.start();
  });
  afterEach(() => on.stop());

  /** A worker with a token, which has not called yet. */
  async function started(managed = true): Promise<WorkerIdentity> {
    const endpoint = on.engine.configuration.get("endpoint", on.endpoint);
    if (endpoint === undefined) throw new Error("the endpoint is gone");
    const { record } = await createWorkerToken(on.engine, endpoint, { many: false, managed });
    if (managed) manage(record.id);
    return on.worker(record.id);
  }

  function manage(id: string): void {
    const now = on.clock.now();
    const since = { orderedAt: now, runsSince: now, lastJobAt: now };
    on.engine.fleet.managed.set(id, { endpoint: on.endpoint, ...since, hasCalled: false });
  }

  test("one that asks to be replaced gets no more jobs, not even by a parked call", async () => {
    const worker = await started();
    const waiting = on.take(worker, { hold: 20_000 });
    await on.clock.advance(10);
    askReplacement(on.engine, worker);
    expect(await waiting).toEqual([]);
    await on.submit();
    expect(await on.take(worker)).toEqual([]);
    expect((await on.take(await started())).length).toBe(1);
  });

  test("one that Forebay did not start asks for that without effect", async () => {
    const worker = await started(false);
    askReplacement(on.engine, worker);
    await on.submit();
    expect((await on.take(worker)).length).toBe(1);
    expect(on.engine.fleet.toReplace.size).toBe(0);
  });

  test("the first job of one is read to keep how long the start took, where that is known", async () => {
    using read = spyOn(on.engine.store, "job");
    const unknown = await started(false);
    manage(unknown.id);
    await on.submit();
    expect((await on.take(unknown)).length).toBe(1);
    await on.clock.advance(0);
    expect(read).not.toHaveBeenCalled();

    const known = await started();
    await on.submit();
    expect((await on.take(known)).length).toBe(1);
    await on.submit();
    expect((await on.take(known, { count: 2 })).length).toBe(1);
    await on.clock.advance(0);
    expect(read).toHaveBeenCalledTimes(1);
  });

  test("one that is being stopped does not wait for jobs to stop", async () => {
    const worker = await started();
    on.engine.fleet.draining.add(worker.id);
    // Time stands still: a hold would not end.
    expect(await stops(on.engine, worker, 3_000, new AbortController().signal)).toEqual([]);
  });

  test("one that is being stopped gets an answer at once when it asks for jobs", async () => {
    const worker = await started();
    on.engine.fleet.draining.add(worker.id);
    // Time stands still: a hold would not end.
    expect(await Promise.race([on.take(worker, { hold: 20_000 }), on.clock.advance(0)])).toEqual([]);
  });

  test("a stop that the worker ignores is sent again after one hold, and not before", async () => {
    const { stopHold } = on.engine.durations;
    const worker = await started();
    const job = await on.submit();
    await on.take(worker);
    await cancel(on.engine, on.endpoint, job);
    const told = () => stops(on.engine, worker, 0, new AbortController().signal);
    expect(await told()).toEqual([job]);
    await on.clock.advance(stopHold - 1);
    expect(await told()).toEqual([]);
    await on.clock.advance(1);
    expect(await told()).toEqual([job]);
    // The pause begins anew.
    expect(await told()).toEqual([]);
  });

  test("low priority does not count for scaling", async () => {
    await on.submit({ lowPriority: true });
    expect((await endpointLoad(on.engine, on.endpoint)).waiting).toBe(0);
    await on.submit();
    expect((await endpointLoad(on.engine, on.endpoint)).waiting).toBe(1);
    await on.take(on.worker("w1"), { count: 2 });
    const { waiting, running } = await endpointLoad(on.engine, on.endpoint);
    expect(waiting).toBe(0);
    expect([...running]).toMatchObject([["w1", { running: 2, runningLowPriority: 1 }]]);
  });

  test("health counts one as initializing until it calls, and not at all once it is retired", async () => {
    const worker = await started();
    const workers = async () => (await health(on.engine, on.endpoint)).workers;
    expect(await workers()).toMatchObject({ initializing: 1, idle: 0, ready: 0 });
    await on.take(worker);
    expect(await workers()).toMatchObject({ initializing: 0, idle: 1, ready: 1 });
    on.engine.fleet.draining.add(worker.id);
    expect(await workers()).toMatchObject({ initializing: 0, idle: 1, ready: 0 });
    await retireWorker(on.engine, on.endpoint, worker.id, "withdrawn");
    expect(await workers()).toMatchObject({ initializing: 0, idle: 0, ready: 0 });
  });

  test.each([
    ["died", 1],
    ["withdrawn", 0],
  ] as const)("what one held that %s goes out again at once, with %d losses", async (reason, losses) => {
    const worker = await started();
    const job = await on.submit();
    await on.take(worker);
    await on.take(worker, { sighting: SHOWS_ALL });
    await retireWorker(on.engine, on.endpoint, worker.id, reason);
    expect(await on.status(job)).toMatchObject({ state: "IN_QUEUE", losses });
    expect((await on.take(await started())).map(({ id }) => id)).toEqual([job]);
    expect(on.engine.configuration.get("worker", worker.id)).toBeUndefined();
    expect(on.engine.fleet.managed.has(worker.id)).toBe(false);
  });

  test("one ignores a stop when it still holds the job after its grace and three pings", async () => {
    const { drainGrace, pingInterval } = on.engine.durations;
    const worker = await started();
    const job = await on.submit();
    await on.take(worker);
    await cancel(on.engine, on.endpoint, job);
    await on.clock.advance(drainGrace + 3 * pingInterval);
    expect(await ignoresStop(on.engine, on.endpoint, worker.id)).toBe(false);
    await on.clock.advance(1);
    expect(await ignoresStop(on.engine, on.endpoint, worker.id)).toBe(true);
    await on.take(worker, { sighting: SHOWS_NONE });
    expect(await ignoresStop(on.engine, on.endpoint, worker.id)).toBe(false);
  });

  test("one that obeys a stop shows that in time, even by its pings alone", async () => {
    const { drainGrace, pingInterval } = on.engine.durations;
    const worker = await started();
    const job = await on.submit();
    await on.take(worker);
    await cancel(on.engine, on.endpoint, job);
    // The first ping may still list the job.
    await seen(on.engine, worker, pingOf(job));
    for (let ping = 1; ping <= 3; ping++) {
      await on.clock.advance(pingInterval);
      await seen(on.engine, worker, pingOf());
    }
    await on.clock.advance(drainGrace);
    expect(await ignoresStop(on.engine, on.endpoint, worker.id)).toBe(false);
  });
});
