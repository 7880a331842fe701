import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { historyJobs } from "../../src/background/server-jobs.ts";
import { cancel } from "../../src/engine/cancel.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { endedJobs, recordEnded, trimHistory } from "../../src/engine/history.ts";
import { deleteEndpoint } from "../../src/engine/records/delete-endpoint.ts";
import { updateEndpoint } from "../../src/engine/records/endpoints.ts";
import { report } from "../../src/engine/report.ts";
import { forgetExpired } from "../../src/engine/sweep.ts";
import { TestEngine } from "../support/test-engine.ts";

const DAY = 86_400_000;

describe("the history of finished jobs", () => {
  let t: TestEngine;
  beforeEach(async () => {
    t = await TestEngine.start();
  });
  afterEach(() => t.stop());

  test("each job that ends has a record a moment later, with its tags", async () => {
    const worker = t.worker("w");
    const done = await t.submit({ tags: ["nightly"] });
    const failed = await t.submit();
    const cancelled = await t.submit();
    const waiting = await t.submit();
    await t.take(worker, { count: 2 });
    await t.complete(worker, done);
    await fail(t, failed);
    await cancel(t.engine, t.endpoint, cancelled);
    await settled(t, recordEnded(t.engine));

    expect(historyJobs(t.engine).map(({ name }) => name)).toEqual(["history"]);
    expect(await past(t, done)).toMatchObject({ state: "COMPLETED", tags: ["nightly"], keepsInput: false });
    expect(await past(t, failed)).toMatchObject({ state: "FAILED", error: "boom", keepsInput: true });
    expect(await past(t, cancelled)).toMatchObject({ state: "CANCELLED", startedAt: undefined });
    expect(await past(t, waiting)).toBeUndefined();
    expect(t.engine.endedJobs.size).toBe(0);
  });

  test("the stop of a server writes the last records", async () => {
    const id = await t.submit();
    await cancel(t.engine, t.endpoint, id);
    await t.engine.endedJobs.flush();

    expect(await past(t, id)).toMatchObject({ state: "CANCELLED" });
  });

  test("a record that could not be written is written the next time", async () => {
    const id = await t.submit();
    await cancel(t.engine, t.endpoint, id);
    const { store } = t.engine;
    const away = Object.assign(Object.create(store), {
      apply: () => Promise.reject(new Error("the database is away")),
    });
    await expect(recordEnded({ ...t.engine, store: away })).rejects.toThrow("the database is away");
    expect(await past(t, id)).toBeUndefined();
    await settled(t, recordEnded(t.engine));

    expect(await past(t, id)).toMatchObject({ state: "CANCELLED" });
    expect(t.engine.endedJobs.size).toBe(0);
  });

  test("a job that was not noted, as after a crash, has a record when it is forgotten", async () => {
    const id = await t.submit();
    await t.take(t.worker("w"));
    await fail(t, id);
    t.engine.endedJobs.take(1_000);
    await t.clock.standStill(60_000);
    await settled(t, forgetExpired(t.engine));

    expect(await t.engine.store.job(t.endpoint, id)).toBeUndefined();
    expect(await past(t, id)).toMatchObject({ state: "FAILED", error: "boom", keepsInput: true });
  });

  test.each([
    ["none", false, false],
    ["all", true, true],
    ["failed", false, true],
  ] as const)("with historyInputs %s", async (historyInputs, ofCompleted, ofFailed) => {
    await updateEndpoint(t.engine, DEFAULT_ACCOUNT.id, t.endpoint, { historyInputs });
    const [done, failed] = [await t.submit(), await t.submit()];
    await t.take(t.worker("w"), { count: 2 });
    await t.complete(t.worker("w"), done);
    await fail(t, failed);
    await settled(t, recordEnded(t.engine));

    expect((await past(t, done))?.keepsInput).toBe(ofCompleted);
    expect((await past(t, failed))?.keepsInput).toBe(ofFailed);
  });

  test("records go when they are older than the limit", async () => {
    const old = await ended(t);
    await t.clock.standStill(6 * DAY);
    const young = await ended(t);
    await settled(t, trimHistory(t.engine));
    expect(await past(t, old)).toBeDefined();

    await t.clock.standStill(DAY + 1);
    await settled(t, trimHistory(t.engine));
    expect(await past(t, old)).toBeUndefined();
    expect(await past(t, young)).toBeDefined();
  });

  test("the oldest records go when there are more bytes than the limit", async () => {
    const ids = [await ended(t), await ended(t), await ended(t)];
    const limited: Engine = { ...t.engine, historyLimits: { age: DAY, bytes: 800 } };
    await settled(t, trimHistory(limited));

    const found = await Promise.all(ids.map((id) => past(t, id)));
    expect(found.map((record) => record !== undefined)).toEqual([false, true, true]);
  });

  test("without a history nothing is written, and what is there goes", async () => {
    const before = await ended(t);
    const historyLimits = { age: 0, bytes: 1_000_000 };
    const off: Engine = { ...t.engine, historyLimits, endedJobs: endedJobs({ ...t.engine, historyLimits }) };
    off.endedJobs.follow([{ event: "cancel", endpoint: t.endpoint, id: "a", worker: undefined }], true);
    expect(off.endedJobs.size).toBe(0);
    const id = await t.submit();
    await cancel(t.engine, t.endpoint, id);
    await t.clock.standStill(60_000);
    await settled(t, forgetExpired(off));
    await settled(t, trimHistory(off));

    expect(await past(t, id)).toBeUndefined();
    expect(await past(t, before)).toBeUndefined();
  });

  test("what another server has ended is its own to record", () => {
    t.engine.endedJobs.follow([{ event: "fail", endpoint: t.endpoint, id: "a", worker: "w" }], false);
    expect(t.engine.endedJobs.size).toBe(0);
  });

  test("deleting an endpoint deletes its history", async () => {
    await ended(t);
    await deleteEndpoint(t.engine, DEFAULT_ACCOUNT.id, t.endpoint);
    expect(await t.engine.store.pastEndpoints()).toEqual([t.endpoint]);
    await settled(t, trimHistory(t.engine));

    expect(await t.engine.store.pastEndpoints()).toEqual([]);
  });
});

function past({ engine, endpoint }: TestEngine, id: string) {
  return engine.store.pastJob(endpoint, id);
}

/** A job that has ended, with its record. */
async function ended(t: TestEngine): Promise<string> {
  const id = await t.submit();
  await cancel(t.engine, t.endpoint, id);
  await settled(t, recordEnded(t.engine));
  return id;
}

async function fail(t: TestEngine, job: string): Promise<void> {
  const error = new TextEncoder().encode('"boom"');
  await report(t.engine, { worker: t.worker("w"), job, attempt: undefined, output: undefined, error });
}

/** Work in slices, with pauses between them. */
async function settled(t: TestEngine, work: Promise<void>): Promise<void> {
  await Promise.all([work, t.clock.advance(1_000)]);
}
