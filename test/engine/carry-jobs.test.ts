import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ForebayError, storageUnreadable } from "../../src/domain/errors.ts";
import type { TakenJob } from "../../src/domain/job.ts";
import { carryJobs } from "../../src/engine/carry-jobs.ts";
import { exchange, type ExchangeCall } from "../../src/engine/exchange.ts";
import { BARE_CALL } from "../../src/engine/seen.ts";
import { rejection } from "../support/rejection.ts";
import { TestEngine } from "../support/test-engine.ts";

/** More often than a job may come back undelivered. */
const OFTEN = 25;

describe("jobs that no response carried", () => {
  let t: TestEngine;
  beforeEach(async () => {
    t = await TestEngine.start();
  });
  afterEach(() => t.engine.store.close());

  const worker = (id = "w") => t.worker(id);
  const alive = () => new AbortController().signal;

  async function expectBack(jobs: readonly string[]): Promise<void> {
    for (const job of jobs) {
      expect(await t.status(job)).toMatchObject({ state: "IN_QUEUE", undelivered: 0, losses: 0 });
    }
  }

  test("go back uncounted when the caller leaves while the response is made", async () => {
    const jobs = [await t.submit(), await t.submit(), await t.submit()];
    for (let time = 0; time < OFTEN; time++) {
      const caller = new AbortController();
      const taken = await t.take(worker(), { count: 3 });
      expect(taken).toHaveLength(3);

      const carried = await carryJobs(
        t.engine,
        { worker: worker(), signal: caller.signal },
        taken,
        async (job) => {
          caller.abort();
          return job.id;
        },
      );

      expect(carried).toEqual([]);
      await expectBack(jobs);
    }
  });

  test("go back uncounted when one cannot be read right now, and the others are carried", async () => {
    const [unread, ...whole] = [await t.submit(), await t.submit(), await t.submit()];
    const taken = await t.take(worker(), { count: 3 });

    const carried = await carryJobs(
      t.engine,
      { worker: worker(), signal: alive() },
      taken,
      failingFor(unread),
    );

    expect(carried).toEqual(whole);
    await expectBack([unread]);
    // The worker that failed on it gets others first.
    const next = await t.submit();
    expect((await t.take(worker())).map(({ id }) => id)).toEqual([next]);
    expect((await t.take(worker("other"))).map(({ id }) => id)).toEqual([unread]);
  });

  test("are logged as an error when they cannot be read, but not when there is no room for all", async () => {
    const unread = await t.submit();
    await t.submit();
    const carryBut = async (failure: Error) => {
      const by = worker(crypto.randomUUID());
      const taken = await t.take(by, { count: 2 });
      const carried = await carryJobs(t.engine, { worker: by, signal: alive() }, taken, async (job) => {
        if (job.id === unread) throw failure;
        return job.id;
      });
      expect(carried).toHaveLength(1);
    };
    await carryBut(new ForebayError("OVERLOADED", "There is no room."));
    expect(t.log.errors).toEqual([]);
    await t.submit();
    await carryBut(storageUnreadable(new Error("EMFILE: too many open files")));
    const fields = { jobs: unread, error: "Error: EMFILE: too many open files" };
    expect(t.log.errors).toEqual([{ level: "error", message: "jobs could not be read", fields }]);
  });

  test("go back uncounted however often they cannot be read, and the call says why", async () => {
    const job = await t.submit();
    for (let time = 0; time < OFTEN; time++) {
      const name = `w${time}`;
      const taken = await t.take(worker(name));
      const call = { worker: worker(name), signal: alive() };
      expect(await rejection(carryJobs(t.engine, call, taken, failingFor(job)))).toContain(
        "cannot read its data",
      );
      await expectBack([job]);
    }
  });

  test("go back uncounted when an exchange fails after its commit", async () => {
    const job = await t.submit();
    const { store } = t.engine;
    const { stopping } = store;
    store.stopping = () => Promise.reject(storageUnreadable(new Error("the disk is away")));

    expect(await rejection(exchange(t.engine, exchangeCall()))).toContain("cannot read its data");

    store.stopping = stopping;
    await expectBack([job]);
    expect((await exchange(t.engine, exchangeCall())).jobs.map(({ id }) => id)).toEqual([job]);
  });

  test("go back uncounted when an exchange that waited fails after its commit", async () => {
    const { store } = t.engine;
    const { stopping } = store;
    const waiting = exchange(t.engine, { ...exchangeCall(), hold: 3_000 });
    const failed = rejection(waiting);
    while (t.engine.parkedTakes.endpoints().length === 0) await new Promise(setImmediate);
    store.stopping = () => Promise.reject(storageUnreadable(new Error("the disk is away")));
    const job = await t.submit();

    expect(await failed).toContain("cannot read its data");

    store.stopping = stopping;
    await expectBack([job]);
  });

  function exchangeCall(): ExchangeCall {
    return {
      worker: worker(),
      sighting: BARE_CALL,
      yields: [],
      progress: [],
      results: [],
      wantsReplacement: false,
      count: 1,
      hold: 0,
      signal: alive(),
    };
  }
});

function failingFor(id: string) {
  return async (job: TakenJob): Promise<string> => {
    if (job.id === id) throw storageUnreadable(new Error("EMFILE: too many open files"));
    return job.id;
  };
}
