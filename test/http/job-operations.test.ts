import { beforeEach, describe, expect, test } from "bun:test";
import { freshWorker } from "../support/fresh-server.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

const SECOND = 1_000;
/** The results of jobs have expired by then. */
const EXPIRED = 40 * SECOND;

/** What a page or a terminal could obey. */
const HOSTILE = `<img src=x onerror=alert(1)>%' OR 1=1;--","\u202e\u001b[2J`;

let clock: ManualClock;
let server: TestServer;
let endpoint: string;
let worker: TestWorker;
freshWorker((fresh) => ({ clock, server, endpoint, worker } = fresh), { isStill: true });
beforeEach(() => server.call("PATCH", `/v1/endpoints/${endpoint}`, { runRetentionMs: 30 * SECOND }));

type Key = { authorization: string };
const act = async (action: string, body: unknown, key?: Key) =>
  (await server.post(`/v1/jobs/${action}`, body, key)).json;
const read = async (id: string, key?: Key) => (await server.get(`/v1/job-operations/${id}`, key)).json;

/** Begins an operation, and answers it at its end. */
async function finished(action: string, body: unknown, key?: Key) {
  const begun = await act(action, body, key);
  expect([begun.action, begun.state, begun.done]).toEqual([action, "RUNNING", 0]);
  return over(begun.id);
}

async function over(id: string) {
  return until("the operation is over", async () => {
    await clock.advance(200);
    const operation = await read(id);
    return operation.state !== "RUNNING" && operation;
  });
}

/** A job that ended so, in the history. */
async function ended(result: object, submission: Record<string, unknown> = {}, input: object = {}) {
  const id = await server.run(endpoint, input, submission);
  await worker.takeBatch(1);
  await worker.done(id, result);
  await clock.advance(2 * SECOND);
  await worker.ping();
  return id;
}

const found = async (query: string) => (await server.get(`/v1/jobs?${query}`)).json.jobs;
const one = async (id: string) => (await server.get(`/v1/jobs/${id}`)).json;

describe("retry, resubmit and cancel of many jobs", () => {
  test("a dry run counts what matches and what is eligible, by reason, and changes nothing", async () => {
    const failed = [
      await ended({ error: "CUDA out of memory" }),
      await ended({ error: "cuda Out of Memory" }),
    ];
    await ended({ error: "other" });
    const fine = await ended({ output: 1 });
    const waiting = await server.run(endpoint);

    const filter = { error: "out of memory" };
    const count = { matches: 2, eligible: 2, skipped: {}, isWhole: true };
    for (const action of ["retry", "resubmit"]) {
      expect(await act(action, { filter, dryRun: true })).toEqual({ action, ...count });
    }
    expect(await act("cancel", { filter: { endpoint }, dryRun: true })).toEqual({
      action: "cancel",
      matches: 5,
      eligible: 1,
      skipped: { ALREADY_ENDED: 4 },
      isWhole: true,
    });
    const jobs = [fine, waiting, "gone"].map((id) => ({ endpoint, id }));
    expect(await act("retry", { jobs, dryRun: true })).toMatchObject({
      matches: 3,
      eligible: 0,
      skipped: { NOT_RETRYABLE: 2, JOB_NOT_FOUND: 1 },
    });
    await clock.advance(EXPIRED);
    expect(await act("retry", { filter, dryRun: true })).toMatchObject({
      matches: 2,
      eligible: 0,
      skipped: { JOB_NOT_FOUND: 2 },
    });
    expect(await act("resubmit", { filter: { state: ["COMPLETED", "FAILED"] }, dryRun: true })).toMatchObject(
      {
        matches: 4,
        eligible: 3,
        skipped: { INPUT_NOT_KEPT: 1 },
      },
    );
    expect((await found("state=FAILED&error=memory")).map(({ id }: { id: string }) => id)).toEqual(
      failed.toReversed(),
    );
    expect((await server.get("/v1/job-operations")).json).toEqual({ operations: [] });
  });

  test("the jobs of a filter are retried with their ids, and no others", async () => {
    const failed = [await ended({ error: "a" }), await ended({ error: "a" })];
    const other = await ended({ error: "b" });
    expect(await finished("retry", { filter: { state: ["FAILED"], error: "a" } })).toEqual({
      id: expect.any(String),
      action: "retry",
      state: "COMPLETED",
      matches: 2,
      done: 2,
      failed: 0,
      skipped: 0,
      createdAt: expect.any(String),
      endedAt: expect.any(String),
      errors: [],
    });
    for (const id of failed) expect((await one(id)).status).toBe("IN_QUEUE");
    expect((await one(other)).status).toBe("FAILED");
  });

  test("resubmitted jobs have the input and the policy, and name the jobs they were made from", async () => {
    const policy = { tags: ["night", "%"], ttl: 50_000, executionTimeout: 7_000, lowPriority: true };
    const webhook = "https://receiver.invalid/";
    const source = await ended({ error: "no" }, { policy }, { text: HOSTILE });
    const plain = await ended({ error: "no" }, { webhook }, { n: 1 });
    await clock.advance(EXPIRED);
    expect((await server.get(`/v2/${endpoint}/status/${source}`)).status).toBe(404);

    const { jobs, ...operation } = await finished("resubmit", { filter: { state: ["FAILED"] } });
    expect(operation).toMatchObject({ state: "COMPLETED", matches: 2, done: 2, skipped: 0 });
    expect(jobs.map(({ from }: { from: string }) => from)).toEqual([plain, source]);
    const [second, first] = jobs.map(({ id }: { id: string }) => id);
    expect((await server.get(`/v1/jobs/${first}/input`)).json).toEqual({ text: HOSTILE });
    const from = { endpoint, id: source };
    expect(await one(first)).toMatchObject({
      status: "IN_QUEUE",
      tags: ["night", "%"],
      resubmittedFrom: from,
    });
    const timeline = (await server.get(`/v1/endpoints/${endpoint}/jobs/${first}`)).json;
    expect(timeline).toMatchObject({
      tags: ["night", "%"],
      ttl: 50_000,
      executionTimeout: 7_000,
      lowPriority: true,
      resubmittedFrom: from,
    });
    expect(await one(second)).toMatchObject({ resubmittedFrom: { endpoint, id: plain } });
    expect((await one(second)).tags).toBeUndefined();
    expect((await one(source)).resubmittedFrom).toBeUndefined();
    // The worker gets what it got of the source.
    const { json: taken } = await worker.takeBatch(1);
    expect(taken).toMatchObject([{ id: second, input: { n: 1 } }]);
    expect(taken[0].webhook).toBeUndefined();
    await worker.done(second, { output: 1 });
    await clock.advance(EXPIRED);
    expect(await one(second)).toMatchObject({
      status: "COMPLETED",
      resubmittedFrom: { endpoint, id: plain },
    });
  });

  test("an operation finds no job that it has made itself, nor one submitted later", async () => {
    await ended({ error: "no" }, { policy: { tags: ["t"] } });
    const begun = await act("resubmit", { filter: { tag: "t" } });
    await clock.advance(1);
    await server.run(endpoint, {}, { policy: { tags: ["t"] } });
    expect(await over(begun.id)).toMatchObject({ matches: 1, done: 1 });
    expect(await found("tag=t")).toHaveLength(3);
  });

  test("waiting and running jobs are cancelled, ended ones are skipped", async () => {
    const fine = await ended({ output: 1 });
    const ids: string[] = [];
    for (let n = 0; n < 450; n++) ids.push(await server.run(endpoint));
    await worker.takeBatch(2);
    expect(await finished("cancel", { filter: { endpoint } })).toMatchObject({
      state: "COMPLETED",
      matches: 451,
      done: 450,
      skipped: 1,
    });
    expect(await found("state=IN_QUEUE,IN_PROGRESS")).toEqual([]);
    expect((await one(fine)).status).toBe("COMPLETED");
  });

  test("named jobs count once, and those that cannot be retried are skipped", async () => {
    const failed = await ended({ error: "a" });
    const { name } = (await server.get(`/v1/endpoints/${endpoint}`)).json;
    const jobs = [
      { endpoint, id: failed },
      { endpoint: name, id: failed },
      { endpoint, id: "gone" },
    ];
    expect(await finished("retry", { jobs })).toMatchObject({ matches: 2, done: 1, skipped: 1, failed: 0 });
    expect((await one(failed)).status).toBe("IN_QUEUE");
  });

  test("resubmissions wait while the queue is full, and go on when it has room", async () => {
    for (let n = 0; n < 6; n++) await ended({ error: "no" }, {}, { n });
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { maxQueuedJobs: 4 });
    const { id } = await act("resubmit", { filter: { state: ["FAILED"] } });
    await until("four wait", async () => {
      await clock.advance(200);
      return (await read(id)).done === 4;
    });
    await clock.advance(SECOND);
    expect(await read(id)).toMatchObject({ state: "RUNNING", done: 4, failed: 0 });
    await worker.takeBatch(3);
    expect(await over(id)).toMatchObject({ state: "COMPLETED", matches: 6, done: 6, failed: 0, errors: [] });
  });

  test("an operation is stopped while it waits; what it has done stays done", async () => {
    for (let n = 0; n < 3; n++) await ended({ error: "no" });
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { maxQueuedJobs: 1 });
    const { id } = await act("resubmit", { filter: { state: ["FAILED"] } });
    await until("one waits", async () => {
      await clock.advance(200);
      return (await read(id)).done === 1;
    });
    const stopped = (await server.post(`/v1/job-operations/${id}/cancel`)).json;
    expect(stopped).toMatchObject({ state: "CANCELLED", done: 1, matches: 3 });
    expect((await server.post(`/v1/job-operations/${id}/cancel`)).json).toEqual(stopped);
    await worker.takeBatch(1);
    await clock.advance(5 * SECOND);
    expect(await read(id)).toEqual(stopped);
  });
});
