import { beforeEach, describe, expect, test } from "bun:test";
import { CHUNK_KEYS } from "../../src/engine/wait-keys.ts";
import { onServer } from "../support/on-server.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { knows, sharedServers } from "./shared-servers.ts";

describe("two servers on one database", () => {
  const servers = sharedServers();
  let a: TestServer;
  let b: TestServer;
  let endpoint: string;
  let worker: TestWorker;

  beforeEach(async () => {
    a = await servers.start();
    b = await servers.start();
    endpoint = await a.endpoint();
    worker = await a.worker(endpoint);
    await knows(b, endpoint);
  });

  test("a runsync on one ends when its worker reports on the other", async () => {
    const answer = a.post(`/v2/${endpoint}/runsync`, { input: {} });
    const elsewhere = onServer(worker, a, b);
    const job = await until("the job is there", async () => {
      const { status, json } = await elsewhere.take();
      return status === 200 && json;
    });
    await elsewhere.done(job.id, { output: { text: "hi" } });

    expect((await answer).json).toMatchObject({ status: "COMPLETED", output: { text: "hi" } });
  });

  test("a stream read on one gets the chunk that comes in on the other", async () => {
    const id = await a.run(endpoint);
    await worker.take();
    const read = b.get(`/v2/${endpoint}/stream/${id}`);
    await until("the read is held", () => b.forebay.engine.waits.keys(CHUNK_KEYS).length === 1);
    await worker.stream(id, { output: "part" });

    expect((await read).json).toEqual([{ output: "part" }]);
  });

  test("statistics of both are one sum on each, and every change is counted by one of them", async () => {
    const elsewhere = onServer(worker, a, b);
    for (let round = 0; round < 5; round++) {
      for (const [client, taker] of [[a, elsewhere] as const, [b, worker] as const]) {
        const id = await client.run(endpoint);
        await until("a worker has it", async () => (await taker.take())?.json?.id === id);
        await taker.done(id, { output: 1 });
      }
    }
    const statistics = `/v1/endpoints/${endpoint}/statistics`;
    for (const server of [a, b]) {
      const total = await until("all is counted", async () => {
        const { json } = await server.get(statistics);
        expect(json.total.completed).toBeLessThanOrEqual(10);
        return json.total.completed === 10 && json.total;
      });
      expect(total).toMatchObject({
        submitted: 10,
        taken: 10,
        delay: { count: 10 },
        execution: { count: 10 },
      });
      expect((await server.get(`${statistics}?period=30d`)).json.total.completed).toBe(10);
    }
    // What one has counted of the other shows when both have written all that they have.
    for (const { forebay } of [a, b]) await forebay.engine.statistics.flush();
    for (const server of [a, b]) {
      const { total } = (await server.get(statistics)).json;
      expect(total).toMatchObject({ submitted: 10, taken: 10, completed: 10, delay: { count: 10 } });
    }
  });

  test("what one has made the other knows at once: endpoint with its times, token, template", async () => {
    // Nothing tells b of it: it has to look.
    await servers.stop(b);
    b = await servers.start(servers.deaf());
    for (let round = 0; round < 20; round++) {
      const made = await a.endpoint({ ttlMs: 12_345_000 });
      const input = await b.post(`/v2/${made}/run`, { input: {} });
      expect(input.status).toBe(200);
      const [job] = await b.forebay.engine.store.unfinished(made, "IN_QUEUE", Infinity, 1);
      expect((job?.expiresAt ?? 0) - (job?.queuedAt ?? 0)).toBe(12_345_000);
      const elsewhere = onServer(await a.worker(made), a, b);
      expect((await elsewhere.take()).json.id).toBe(input.json.id);
      const name = `template-${round}`;
      const { json } = await a.post("/v1/templates", { name, imageName: "process/hello" });
      const on = await b.post("/v1/endpoints", { name, templateId: json.id });
      expect(on.status).toBe(200);
      expect((await a.get(`/v1/endpoints/${on.json.id}`)).json.name).toBe(name);
    }
  });

  test("secrets that one has sealed must be open to all: another key is refused", async () => {
    const started = servers.start({ "secret-key": "another" });
    expect(await started.catch((error: unknown) => String(error))).toContain("another key");
  });
});
