import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { CallingProgram } from "../support/calling-program.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

const CLIENT = join(import.meta.dir, "client.mjs");
/** The packages of its versions. */
const SDKS = {
  "1.0.7": import.meta.resolve("runpod-sdk-1.0.7"),
  "1.1.2": import.meta.resolve("runpod-sdk"),
} as const;

describe.each(Object.entries(SDKS))(
  "the public JavaScript SDK %s, unmodified on Node, with the SDK base as its address",
  (_version, sdk) => {
    let server: EndToEndServer;
    let endpoint: string;
    let worker: TestWorker;
    let client: CallingProgram;
    beforeEach(async () => {
      server = await startEndToEnd();
      endpoint = await server.endpoint();
      worker = await server.worker(endpoint);
      connect(TEST_KEY);
    });
    afterEach(async () => {
      await client.kill();
      await server.stop();
    });

    function connect(key: string, id = endpoint): void {
      client = new CallingProgram(["node", CLIENT, sdk, `${server.url}/sdk/v2`, key, id]);
    }

    const call: CallingProgram["call"] = (...call) => client.call(...call);

    test("run and status: a job of all members, with what the SDK makes of its state", async () => {
      const s3Config = {
        accessId: "a",
        accessSecret: "s",
        bucketName: "b",
        endpointUrl: "u",
        objectPath: "p",
      };
      const policy = { executionTimeout: 6_000, lowPriority: true, ttl: 60_000 };
      const { id, status } = await call("run", { input: { n: 1 }, policy, s3Config, webhookV2: "x" });
      expect(status).toBe("IN_QUEUE");
      expect((await worker.take()).json).toEqual({ id, input: { n: 1 }, policy, s3Config, webhookV2: "x" });
      expect(await call("status", id)).toMatchObject({
        status: "IN_PROGRESS",
        started: true,
        completed: false,
      });
      await worker.done(id, { status: "IN_PROGRESS", output: "half" });
      expect((await call("status", id)).output).toBe("half");
      await worker.done(id, { output: { text: "Grüße" } });
      expect(await call("status", id)).toMatchObject({
        status: "COMPLETED",
        output: { text: "Grüße" },
        completed: true,
        succeeded: true,
      });
    });

    test("an endpoint by its name", async () => {
      const named = await server.endpoint({ name: "by-name" });
      const own = await server.worker(named);
      await client.kill();
      connect(TEST_KEY, "by-name");
      const { id } = await call("run", { input: { n: 1 } });
      expect((await own.take()).json).toMatchObject({ id, input: { n: 1 } });
      await own.done(id, { output: 2 });
      expect(await call("status", id)).toMatchObject({ id, status: "COMPLETED", output: 2 });
      expect((await call("health")).jobs.completed).toBe(1);
    });

    test("runSync goes on with status-sync, whose calls are held", async () => {
      const running = call("runSync", { input: {} }, 1_500);
      const { id } = (await worker.take()).json;
      await client.line(`${id}: IN_PROGRESS`);
      await worker.done(id, { output: 1 });
      expect(await running).toMatchObject({
        id,
        status: "COMPLETED",
        output: 1,
        completed: true,
        succeeded: true,
      });
      expect(client.lines.filter((line) => line === `${id}: IN_PROGRESS`)).toHaveLength(1);
    });

    test("runSync of a failed and of a cancelled job has ended, without success", async () => {
      const failing = call("runSync", { input: {} });
      await worker.done((await worker.take()).json.id, { error: "no" });
      expect(await failing).toMatchObject({
        status: "FAILED",
        error: "no",
        completed: true,
        succeeded: false,
      });
      const { id } = await call("run", { input: {} });
      expect(await call("cancel", id)).toEqual({ id, status: "CANCELLED" });
      expect(await call("status", id)).toMatchObject({ status: "CANCELLED", completed: true });
    });

    test("stream yields every chunk once, and ends with the job", async () => {
      const { id } = await call("run", { input: {} });
      await worker.take();
      await worker.stream(id, { output: "a" });
      const streaming = call("stream", id);
      await worker.stream(id, { output: { n: 1 } });
      await worker.stream(id, { output: "b" });
      await worker.done(id, { output: [] });
      expect(await streaming).toEqual([{ output: "a" }, { output: { n: 1 } }, { output: "b" }]);
    });

    test("health and purgeQueue", async () => {
      await call("run", { input: {} });
      expect(await call("health")).toMatchObject({
        jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 1, retried: 0 },
        workers: { idle: 0, initializing: 0, ready: 0, running: 0, throttled: 0 },
      });
      expect(await call("purgeQueue")).toEqual({ removed: 1, status: "completed" });
    });

    test("errors are raised with the server's sentence", async () => {
      await expect(call("status", "none")).rejects.toThrow("There is no job none on this endpoint");
      await client.kill();
      connect("wrong");
      await expect(call("health")).rejects.toThrow("KEY_UNKNOWN");
    });
  },
);
