import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Endpoint, Forebay, ForebayError, type UnfinishedJob } from "@forebay/worker/client";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

interface Question {
  readonly name: string;
}

describe("the client", () => {
  let server: TestServer;
  let worker: TestWorker;
  let endpoint: Endpoint<Question, { greeting: string }, string>;
  beforeEach(async () => {
    server = await TestServer.start();
    const id = await server.endpoint();
    worker = await server.worker(id);
    endpoint = new Forebay({ url: `${server.url}/`, key: TEST_KEY }).endpoint(id);
  });
  afterEach(() => server.stop());

  test("submits a job with its policy, waits for its end and gives its output", async () => {
    const policy = { ttl: 60_000, lowPriority: true };
    const { id, status } = await endpoint.run({ name: "Å – 二" }, { policy, s3Config: { bucketName: "b" } });
    expect(status).toBe("IN_QUEUE");
    expect((await worker.take()).json).toEqual({
      id,
      input: { name: "Å – 二" },
      policy,
      s3Config: { bucketName: "b" },
    });
    const waiting = endpoint.waitFor(id);
    await worker.done(id, { output: { greeting: "Hello" } });
    const job = await waiting;
    if (job.status !== "COMPLETED") throw new Error(`the job ended ${job.status}: ${job.error}`);
    expect(job.output?.greeting).toBe("Hello");
    expect(await endpoint.status(id)).toEqual(job);
    expect(job).toEqual({
      id,
      status: "COMPLETED",
      output: { greeting: "Hello" },
      delayTime: expect.any(Number),
      executionTime: expect.any(Number),
      workerId: worker.id,
    });
  });

  test("runSync has the record of a job that ends at once, also of one that failed", async () => {
    const running = endpoint.runSync({ name: "a" });
    await worker.done((await worker.take()).json.id, { error: "no" });
    expect(await running).toMatchObject({ status: "FAILED", error: "no" });
  });

  test("runSync goes on waiting for a longer job, and tells its state and progress meanwhile", async () => {
    const told: UnfinishedJob[] = [];
    const running = endpoint.runSync(
      { name: "a" },
      {
        hold: 1_000,
        onUnfinished(job) {
          if (told.push(job) === 2) void worker.done(job.id, { output: { greeting: "late" } });
        },
      },
    );
    const { id } = (await worker.take()).json;
    await worker.done(id, { status: "IN_PROGRESS", output: { percent: 50 } });
    expect(await running).toMatchObject({ id, status: "COMPLETED" });
    expect(told[0]).toMatchObject({ id, status: "IN_PROGRESS", progress: { percent: 50 } });
    expect(told[0]).not.toHaveProperty("output");
  });

  test("streams the chunks as they come, then the state; a second reader gets all of them too", async () => {
    const { id } = await endpoint.run({ name: "a" });
    await worker.take();
    await worker.stream(id, { output: "one", metrics: { tokens: 1 } });
    const chunks = endpoint.stream(id);
    expect(await chunks.next()).toEqual({
      done: false,
      value: { index: 0, output: "one", metrics: { tokens: 1 } },
    });
    const second = chunks.next();
    await worker.stream(id, { output: "two" });
    expect(await second).toEqual({ done: false, value: { index: 1, output: "two" } });
    const end = chunks.next();
    await worker.done(id, { output: [] });
    expect(await end).toEqual({ done: true, value: "COMPLETED" });
    const again: string[] = [];
    for await (const { output } of endpoint.stream(id)) again.push(output);
    expect(again).toEqual(["one", "two"]);
    expect(await endpoint.stream(id, { from: 1 }).next()).toMatchObject({ value: { index: 1 } });
  });

  test("cancels, retries, purges, lists and counts", async () => {
    const { id } = await endpoint.run({ name: "a" });
    await worker.take();
    await worker.done(id, { error: "no" });
    expect(await endpoint.retry(id)).toEqual({ id, status: "IN_QUEUE" });
    const other = await endpoint.run({ name: "b" });
    expect(await endpoint.cancel(other.id)).toEqual({ id: other.id, status: "CANCELLED" });
    const { requests, nextCursor } = await endpoint.requests({ status: "IN_QUEUE", limit: 1 });
    expect([requests.map((job) => job.id), nextCursor]).toEqual([[id], undefined]);
    const cancelled = await endpoint.requests({ status: "CANCELLED" });
    expect(cancelled).toEqual({ requests: [{ id: other.id, status: "CANCELLED" }] });
    expect(await endpoint.purge()).toEqual({ removed: 1, status: "completed" });
    const { jobs, workers } = await endpoint.health();
    expect(jobs).toEqual({ completed: 0, failed: 1, inProgress: 0, inQueue: 0, retried: 1 });
    expect(workers).toMatchObject({ idle: 1, running: 0 });
  });

  test("lists page by page", async () => {
    const ids = [await endpoint.run({ name: "a" }), await endpoint.run({ name: "b" })].map(({ id }) => id);
    const first = await endpoint.requests({ limit: 1 });
    const second = await endpoint.requests({ limit: 1, cursor: first.nextCursor });
    expect([...second.requests, ...first.requests].map(({ id }) => id)).toEqual(ids);
    expect(second.nextCursor).toBeUndefined();
  });

  test("throws the server's code, status and sentence", async () => {
    const job = await endpoint.run({ name: "a" });
    await expectError(endpoint.status("none"), "JOB_NOT_FOUND", 404, "There is no job none on this endpoint");
    await expectError(endpoint.retry(job.id), "NOT_RETRYABLE", 400, "");
    const stranger = new Forebay({ url: server.url, key: "another" });
    await expectError(stranger.endpoint(endpoint.id).health(), "KEY_UNKNOWN", 401, "The key");
    const nowhere = new Forebay({ url: server.url, key: TEST_KEY }).endpoint("none");
    await expectError(nowhere.run({}), "ENDPOINT_NOT_FOUND", 404, "There is no endpoint none.");
  });

  test("ids that cannot stand in a path are refused, and so are addresses that are none", async () => {
    for (const none of ["", ".", ".."]) {
      expect(() => new Forebay({ url: server.url, key: "" }).endpoint(none)).toThrow("there is no endpoint");
    }
    expect(() => new Forebay({ url: "localhost:8000", key: "" })).toThrow("must be an http or https address");
    await expect(endpoint.status("a/b")).rejects.toThrow("the id of a job");
  });

  test("an endpoint goes by its name too, whatever stands in it", async () => {
    await server.endpoint({ name: "two words/é" });
    const named = new Forebay({ url: server.url, key: TEST_KEY }).endpoint("two words/é");
    const { id } = await named.run({ name: "a" });
    expect(await named.status(id)).toMatchObject({ id, status: "IN_QUEUE" });
    expect((await named.health()).jobs.inQueue).toBe(1);
    await expectError(
      new Forebay({ url: server.url, key: TEST_KEY }).endpoint("../v1").health(),
      "ENDPOINT_NOT_FOUND",
      404,
      "There is no endpoint ../v1.",
    );
  });

  test("every call ends with the reason of its signal; the job goes on", async () => {
    const { id } = await endpoint.run({ name: "a" });
    const reason = new Error("enough");
    for (const call of [
      (signal: AbortSignal) => endpoint.waitFor(id, { signal }),
      (signal: AbortSignal) => endpoint.stream(id, { signal }).next(),
      (signal: AbortSignal) => endpoint.runSync({ name: "b" }, { signal }),
      (signal: AbortSignal) => endpoint.status(id, { signal }),
      (signal: AbortSignal) => endpoint.requests({ signal }),
      (signal: AbortSignal) => endpoint.health({ signal }),
    ]) {
      const controller = new AbortController();
      const ended = call(controller.signal).catch((error: unknown) => error);
      controller.abort(reason);
      expect(await ended).toBe(reason);
    }
    expect(await endpoint.status(id)).toEqual({ id, status: "IN_QUEUE" });
  });
});

async function expectError(call: Promise<unknown>, code: string, status: number, sentence: string) {
  const error = await call.catch((error: unknown) => error);
  if (!(error instanceof ForebayError)) throw new Error(`no ForebayError: ${String(error)}`);
  expect({ code: error.code, status: error.status }).toEqual({ code, status });
  expect(error.message).toStartWith(sentence);
}
