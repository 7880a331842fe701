import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Handler } from "@forebay/worker";
import { PROTOCOLS, SdkWorker, startWith } from "../support/sdk-worker.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

describe.each(PROTOCOLS)("a worker whose server goes away, over the %s protocol", (protocol) => {
  let data: string;
  let server: TestServer;
  let endpoint: string;
  let worker: SdkWorker;
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), "forebay-"));
    server = await TestServer.start({ flags: { data } });
    endpoint = await server.endpoint();
  });
  afterEach(async () => {
    await worker.stop();
    await server.stop();
    await rm(data, { recursive: true });
  });

  const start = async <Input>(handler: Handler<Input>, concurrency = 1): Promise<void> => {
    worker = await SdkWorker.start(server, endpoint, { handler, concurrency, protocol });
  };
  /** The same server again: its data, at its address. */
  const startAgain = async (): Promise<void> => {
    server = await TestServer.start({ flags: { data, port: new URL(server.url).port } });
  };
  const ended = async (id: string) => (await server.get(`/v2/${endpoint}/status-sync/${id}?wait=4000`)).json;

  test("delivers the result of a job that ended meanwhile when the server is back", async () => {
    let hasReturned = false;
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    await start(async () => {
      begun.resolve();
      await mayEnd.promise;
      hasReturned = true;
      return "kept";
    });
    const id = await server.run(endpoint);
    await begun.promise;
    await server.stop();
    mayEnd.resolve();
    await until("the handler has returned", () => hasReturned);
    await startAgain();
    expect(await ended(id)).toMatchObject({ status: "COMPLETED", output: "kept", workerId: worker.id });
  });

  test("goes on with a job that runs across the restart, and loses no chunk", async () => {
    const mayGoOn = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    let yielded = 0;
    await start(async function* () {
      for (const { promise } of mayGoOn) {
        yield ++yielded;
        await promise;
      }
    });
    const id = await server.run(endpoint);
    const stream = async () => (await server.get(`/v2/${endpoint}/stream/${id}?from=0&wait=1000`)).json;
    await until("the first chunk is stored", async () => (await stream()).length === 1);
    await server.stop();
    mayGoOn[0]?.resolve();
    await until("the second chunk is yielded", () => yielded === 2);
    await startAgain();
    mayGoOn[1]?.resolve();
    mayGoOn[2]?.resolve();
    expect(await ended(id)).toMatchObject({ status: "COMPLETED", output: [], workerId: worker.id });
    expect(await stream()).toEqual([{ output: 1 }, { output: 2 }, { output: 3 }]);
  });

  test("lets a generator that yields faster than the server stores wait, and keeps all", async () => {
    const begun = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const text = "x".repeat(100_000);
    let yielded = 0;
    await start(async function* () {
      begun.resolve();
      await mayGoOn.promise;
      while (yielded < 100) yield { n: yielded++, text };
    });
    const id = await server.run(endpoint);
    await begun.promise;
    await server.stop();
    mayGoOn.resolve();
    for (let turn = 0; turn < 1_000; turn++) await new Promise(setImmediate);
    expect(yielded).toBeGreaterThan(0);
    // A megabyte may wait, and as much may be on its way.
    expect(yielded).toBeLessThan(25);
    await startAgain();
    expect(await ended(id)).toMatchObject({ status: "COMPLETED" });
    const numbers: number[] = [];
    while (numbers.length < 100) {
      const { json } = await server.get(`/v2/${endpoint}/stream/${id}?from=${numbers.length}`);
      numbers.push(...json.map((chunk: { output: { n: number } }) => chunk.output.n));
    }
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  test("takes jobs again when the server is back, without a notification", async () => {
    await start(({ id }) => id);
    const before = await server.run(endpoint);
    expect(await ended(before)).toMatchObject({ status: "COMPLETED", output: before });
    await server.stop();
    await startAgain();
    const after = await server.run(endpoint);
    expect(await ended(after)).toMatchObject({ status: "COMPLETED", output: after });
  });

  test("keeps the results of all its jobs, and drains only when they are stored", async () => {
    const begun = new Set<string>();
    const mayEnd = Promise.withResolvers<void>();
    await start(async ({ id }) => {
      begun.add(id);
      await mayEnd.promise;
      return id;
    }, 8);
    const ids = await Promise.all(Array.from({ length: 8 }, () => server.run(endpoint)));
    await until("all run", () => begun.size === 8);
    await server.stop();
    const stopped = worker.stop();
    mayEnd.resolve();
    await startAgain();
    await stopped;
    for (const id of ids) expect(await ended(id)).toMatchObject({ status: "COMPLETED", output: id });
  });
});

describe.each(PROTOCOLS)("a worker that the server does not let in, over the %s protocol", (protocol) => {
  test("ends with a sentence that says so, and its jobs are stopped", async () => {
    const server = await TestServer.start({ flags: { "ping-interval-ms": "100" } });
    const endpoint = await server.endpoint();
    const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`);
    const stopped = Promise.withResolvers<Error>();
    const begun = Promise.withResolvers<void>();
    const handler: Handler = (_job, { signal }) =>
      new Promise(() => {
        begun.resolve();
        signal.addEventListener("abort", () => stopped.resolve(signal.reason));
      });
    const refusal = startWith(json.env, { protocol, handler }).catch((error: unknown) => error);
    await server.run(endpoint);
    await begun.promise;
    await server.forebay.engine.store.apply(
      [{ step: "remove", kind: "worker", id: json.workerId }],
      server.forebay.engine.clock.now(),
    );
    const sentence = /^The server refuses this worker: .* is unknown.* creates a valid token\.$/;
    expect(await refusal).toMatchObject({ message: expect.stringMatching(sentence) });
    expect((await stopped.promise).message).toMatch(sentence);
    await server.stop();
  });
});
