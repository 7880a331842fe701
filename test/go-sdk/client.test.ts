import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { CallingProgram } from "../support/calling-program.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";
import { goClient } from "../support/go-client.ts";
import { TEST_KEY } from "../support/test-client.ts";
import type { TestWorker } from "../support/test-worker.ts";

describe("the public Go SDK, unmodified, with the SDK base as its address", () => {
  let server: EndToEndServer;
  let endpoint: string;
  let worker: TestWorker;
  let client: CallingProgram;
  beforeEach(async () => {
    server = await startEndToEnd();
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
    client = new CallingProgram([goClient(), `${server.url}/sdk/v2`, TEST_KEY, endpoint]);
  });
  afterEach(async () => {
    await client.kill();
    await server.stop();
  });

  const call: CallingProgram["call"] = (...words) => client.call(...words);

  test("run, status and statusSync: a job of all members, with whole numbers for its times", async () => {
    const s3Config = { accessId: "a", accessSecret: "s", bucketName: "b", endpointUrl: "u", objectPath: "p" };
    const policy = { ttl: 60_000, executionTimeout: 6_000 };
    const { id, status } = await call("run", { input: { n: 1 }, policy, s3Config, webhookV2: "x" });
    expect(status).toBe("IN_QUEUE");
    expect((await worker.take()).json).toEqual({ id, input: { n: 1 }, policy, s3Config, webhookV2: "x" });
    expect(await call("status", id)).toMatchObject({ id, status: "IN_PROGRESS" });
    const ended = call("statusSync", id);
    await worker.done(id, { output: { text: "Grüße" } });
    expect(await ended).toEqual({
      id,
      status: "COMPLETED",
      output: { text: "Grüße" },
      delayTime: expect.any(Number),
      executionTime: expect.any(Number),
    });
  });

  test("runSync waits for the end, and a failed job has its error as text", async () => {
    const running = call("runSync", { input: { n: 1 } });
    await worker.done((await worker.take()).json.id, { output: 1 });
    expect(await running).toMatchObject({ status: "COMPLETED", output: 1 });
    const failing = call("runSync", { input: { n: 1 } });
    await worker.done((await worker.take()).json.id, { error: "no" });
    expect(await failing).toMatchObject({ status: "FAILED", error: "no" });
  });

  test("stream brings every chunk once, the last ones with the end", async () => {
    const { id } = await call("run", { input: { n: 1 } });
    await worker.take();
    await worker.stream(id, { output: "a" });
    const streaming = call("stream", id);
    await worker.stream(id, { output: { n: 1 } });
    await worker.stream(id, { output: "b" });
    await worker.done(id, { output: [] });
    expect(await streaming).toEqual([{ output: "a" }, { output: { n: 1 } }, { output: "b" }]);
  });

  test("cancel, health and purgeQueue", async () => {
    const { id } = await call("run", { input: { n: 1 } });
    expect(await call("cancel", id)).toEqual({ id, status: "CANCELLED" });
    await call("run", { input: { n: 1 } });
    expect(await call("health")).toMatchObject({ jobs: { inQueue: 1 }, workers: { running: 0 } });
    expect(await call("purgeQueue")).toEqual({ removed: 1, status: "completed" });
  });

  test("a job that is not there is an error", async () => {
    expect(await client.outcome("status", "none")).toMatchObject({ raised: expect.stringContaining("404") });
  });
});
