import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { STOP_KEYS } from "../../src/engine/wait-keys.ts";
import { EventReader } from "../support/event-reader.ts";
import { onServer } from "../support/on-server.ts";
import type { LentDatabase } from "../support/postgres-server.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

/** How fast what one server has committed is known to the other, ms; on a busy machine the usual case. */
const PROMISE = 50;

/** How often a server looks without being told, ms. */
const POLL = 1_000;

/** And without being told, ms; with what the answers take themselves. */
const POLLED = 1_300;

describe("two servers on one database", () => {
  const postgres = suiteDatabases();
  let database: LentDatabase;
  let a: TestServer;
  let b: TestServer;
  let endpoint: string;
  let worker: TestWorker;

  beforeEach(async () => {
    database = await postgres().lendDatabase();
    const flags = { "database-url": database.url, "secret-key": "the same on both" };
    a = await TestServer.start({ flags });
    b = await TestServer.start({ flags });
    endpoint = await a.endpoint();
    worker = await a.worker(endpoint);
    await knows(b, endpoint);
  });
  afterEach(async () => {
    await a.stop();
    await b.stop();
    await database.giveBack();
  });

  test("R28: a take that waits on one gets the job submitted on the other, told at once", async () => {
    const waits: number[] = [];
    for (let round = 0; round < 100; round++) {
      const taken = worker.take();
      await parked(a, endpoint);
      const startedAt = performance.now();
      const id = await b.run(endpoint);
      expect((await taken).json.id).toBe(id);
      waits.push(performance.now() - startedAt);
      await worker.done(id, { output: 1 });
    }
    waits.sort((x, y) => x - y);
    expect(waits[50]).toBeLessThan(PROMISE);
    // None had to be polled for.
    expect(waits[99]).toBeLessThan(POLL);
  });

  describe("with every notification lost", () => {
    beforeEach(async () => {
      await b.stop();
      // What is said in another database is not heard here.
      const deaf = { "database-url": database.url, "database-listen-url": postgres().url("postgres") };
      b = await TestServer.start({ flags: { ...deaf, "secret-key": "the same on both" } });
    });

    test("R28, wait first: a take that waits gets the job within a second; so does a runsync", async () => {
      const elsewhere = onServer(worker, a, b);
      const taken = elsewhere.take();
      await parked(b, endpoint);
      const startedAt = performance.now();
      const id = await a.run(endpoint);
      expect((await taken).json.id).toBe(id);
      const answer = b.get(`/v2/${endpoint}/status-sync/${id}`);
      await worker.done(id, { output: 1 });
      expect((await answer).json.status).toBe("COMPLETED");
      expect(performance.now() - startedAt).toBeLessThan(2 * POLLED);
    });

    test("R28, loss first: so does a take that comes when the word of the job is lost", async () => {
      const elsewhere = onServer(worker, a, b);
      const startedAt = performance.now();
      const id = await a.run(endpoint);
      // As it does when it has looked a moment ago, it takes the queue for empty until it hears of a job.
      const { queueHints } = b.forebay.engine;
      queueHints.foundEmpty(endpoint, queueHints.arrivals(endpoint));
      expect((await elsewhere.take()).json.id).toBe(id);
      await worker.done(id, { output: 1 });
      expect((await b.get(`/v2/${endpoint}/status-sync/${id}`)).json.status).toBe("COMPLETED");
      expect(performance.now() - startedAt).toBeLessThan(POLLED);
    });

    test("a worker that waits for jobs to stop is told within a second", async () => {
      const elsewhere = onServer(worker, a, b);
      const id = await a.run(endpoint);
      await elsewhere.take();
      const stops = elsewhere.stops();
      await until("the call is held", () => stopsHeld(b) === 1);
      const startedAt = performance.now();
      await a.post(`/v2/${endpoint}/cancel/${id}`);
      expect((await stops).json).toEqual({ jobsToStop: [id] });
      expect(performance.now() - startedAt).toBeLessThan(POLLED);
    });

    test("and so is one that exchanges; until then its call goes on", async () => {
      const elsewhere = onServer(worker, a, b);
      const id = await a.run(endpoint);
      const body = { alive: [id], results: [], take: 0, wait: 10_000 };
      expect((await elsewhere.exchange({ ...body, alive: [], take: 1 })).json.jobs).toHaveLength(1);
      const told = elsewhere.exchange(body);
      await until("the call is held", () => stopsHeld(b) === 1);
      // Longer than it takes to look once.
      const looked = b.forebay.engine.store.shared;
      if (looked === undefined) throw new Error("nothing is shared");
      let looks = 0;
      const { stopping } = looked;
      looked.stopping = (workers) => {
        looks++;
        return stopping(workers);
      };
      await until("it was looked for", () => looks > 0);
      expect(stopsHeld(b)).toBe(1);

      const startedAt = performance.now();
      await a.post(`/v2/${endpoint}/cancel/${id}`);
      expect((await told).json.stop).toEqual([id]);
      expect(performance.now() - startedAt).toBeLessThan(POLLED);
    });
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
    await worker.stream(id, { output: "part" });

    expect((await read).json).toEqual([{ output: "part" }]);
  });

  test("a live stream on one has the chunks that come in on the other, and the end", async () => {
    const id = await a.run(endpoint);
    await worker.take();
    const reader = await EventReader.open(`${b.url}/v2/${endpoint}/stream/${id}`);
    for (let n = 0; n < 20; n++) {
      const startedAt = performance.now();
      await worker.stream(id, { output: n });
      expect(await reader.next()).toMatchObject({ id: `${n}`, data: `{"output":${n}}` });
      expect(performance.now() - startedAt).toBeLessThan(POLL);
    }
    await worker.done(id, { output: [] });
    expect(await reader.take()).toMatchObject([{ event: "end" }]);
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
  });

  test("what one has made the other knows at once: endpoint with its times, token, template", async () => {
    // Nothing tells b of it: it has to look.
    await b.stop();
    const deaf = { "database-url": database.url, "database-listen-url": postgres().url("postgres") };
    b = await TestServer.start({ flags: { ...deaf, "secret-key": "the same on both" } });
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

  test("4a: an endpoint that one removes is gone on the other, within a second", async () => {
    await a.call("DELETE", `/v1/endpoints/${endpoint}`);
    await until(
      "it is gone",
      async () => {
        const { status } = await b.post(`/v2/${endpoint}/run`, { input: {} });
        return status === 404;
      },
      1_500,
    );
  });

  test("T10: a key revoked on one is unknown on the other within a second, parked calls too", async () => {
    const { json } = await a.post("/v1/keys", { name: "a", scopes: ["write"] });
    await until("the key is known", () => b.forebay.engine.configuration.get("key", json.id));
    const bearer = { authorization: json.key };
    const answer = b.get(`/v2/${endpoint}/status-sync/${await a.run(endpoint)}?wait=300000`, bearer);
    await until("the call has shown its key", () => b.forebay.engine.keysUsed.has(json.id));
    const startedAt = performance.now();
    await a.call("DELETE", `/v1/keys/${json.id}`);
    expect((await answer).json.code).toBe("KEY_UNKNOWN");
    expect(performance.now() - startedAt).toBeLessThan(POLLED);
    expect((await b.get(`/v2/${endpoint}/health`, bearer)).json.code).toBe("KEY_UNKNOWN");
  });

  test("secrets that one has sealed must be open to all: another key is refused", async () => {
    const flags = { "database-url": database.url, "secret-key": "another" };
    const started = TestServer.start({ flags });
    expect(await started.catch((error: unknown) => String(error))).toContain("another key");
  });
});

/** Calls that wait for a job to stop. */
function stopsHeld({ forebay }: TestServer): number {
  return forebay.engine.waits.keys(STOP_KEYS).length;
}

async function knows({ forebay }: TestServer, endpoint: string): Promise<void> {
  await until("the endpoint is known", () => forebay.engine.configuration.get("endpoint", endpoint));
}

/** The server holds a call for a job. */
async function parked({ forebay }: TestServer, endpoint: string): Promise<void> {
  await until("the call is held", () => forebay.engine.parkedTakes.endpoints().includes(endpoint));
}
