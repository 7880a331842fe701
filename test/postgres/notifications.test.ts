import { beforeEach, describe, expect, test } from "bun:test";
import { STOP_KEYS } from "../../src/engine/wait-keys.ts";
import { EventReader } from "../support/event-reader.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { onServer } from "../support/on-server.ts";
import { isPending, pollOnce } from "../support/still-servers.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { knows, sharedServers } from "./shared-servers.ts";

// The clock of both servers stands still, so neither polls: what arrives was told by a notification, or found
// by the one poll that the test makes.
describe("what one of two servers commits, the other", () => {
  const servers = sharedServers();
  let clock: ManualClock;
  let a: TestServer;
  let b: TestServer;
  let endpoint: string;
  let worker: TestWorker;

  beforeEach(async () => {
    clock = new ManualClock();
    a = await servers.start({}, clock);
    b = await servers.start({}, clock);
    endpoint = await a.endpoint();
    worker = await a.worker(endpoint);
    await knows(b, endpoint);
  });

  describe("learns of without polling:", () => {
    test("R28: a new job, for a take that waits", async () => {
      for (let round = 0; round < 100; round++) {
        const taken = worker.take();
        await parked(a, endpoint);
        const id = await b.run(endpoint);
        expect((await taken).json.id).toBe(id);
        await worker.done(id, { output: 1 });
      }
    });

    test("the chunks of a job and its end, for a live stream", async () => {
      const id = await a.run(endpoint);
      await worker.take();
      const reader = await EventReader.open(`${b.url}/v2/${endpoint}/stream/${id}`);
      for (let n = 0; n < 20; n++) {
        await worker.stream(id, { output: n });
        expect(await reader.next()).toMatchObject({ id: `${n}`, data: `{"output":${n}}` });
      }
      await worker.done(id, { output: [] });
      expect(await reader.take()).toMatchObject([{ event: "end" }]);
    });

    test("4a: the end of an endpoint", async () => {
      await a.call("DELETE", `/v1/endpoints/${endpoint}`);
      await until("it is gone", async () => (await submitTo(b)) === 404);
    });

    test("T10: the end of a key, parked calls too", async () => {
      const { key, answer } = await heldWithKey();
      await a.call("DELETE", `/v1/keys/${key.id}`);
      expect((await answer).json.code).toBe("KEY_UNKNOWN");
      expect((await b.get(`/v2/${endpoint}/health`, key.bearer)).json.code).toBe("KEY_UNKNOWN");
    });
  });

  describe("finds with one poll when every notification is lost:", () => {
    beforeEach(async () => {
      await servers.stop(b);
      b = await servers.start(servers.deaf(), clock);
    });

    test("R28, wait first: a job, for a take that waits; its end, for a call that waits", async () => {
      const elsewhere = onServer(worker, a, b);
      const taken = elsewhere.take();
      await parked(b, endpoint);
      const id = await a.run(endpoint);
      expect(await isPending(taken)).toBe(true);
      await pollOnce(b);
      expect((await taken).json.id).toBe(id);

      const answer = b.get(`/v2/${endpoint}/status-sync/${id}`);
      await until("the call is held", () => b.forebay.engine.waits.keys("").some((key) => key.includes(id)));
      await worker.done(id, { output: 1 });
      expect(await isPending(answer)).toBe(true);
      await pollOnce(b);
      expect((await answer).json.status).toBe("COMPLETED");
    });

    test("R28, loss first: a job, for a take that comes later", async () => {
      const elsewhere = onServer(worker, a, b);
      const id = await a.run(endpoint);
      // As it does when it has looked a moment ago, it takes the queue for empty until it hears of a job.
      const { queueHints } = b.forebay.engine;
      queueHints.foundEmpty(endpoint, queueHints.arrivals(endpoint));
      const taken = elsewhere.take();
      await parked(b, endpoint);
      await pollOnce(b);
      expect((await taken).json.id).toBe(id);
    });

    test("a job to stop, for a worker that waits for those", async () => {
      const elsewhere = onServer(worker, a, b);
      const id = await a.run(endpoint);
      expect((await elsewhere.take()).json.id).toBe(id);
      const stops = elsewhere.stops();
      await until("the call is held", () => stopsHeld(b) === 1);
      await a.post(`/v2/${endpoint}/cancel/${id}`);
      expect(await isPending(stops)).toBe(true);
      await pollOnce(b);
      expect((await stops).json).toEqual({ jobsToStop: [id] });
    });

    test("and for one that exchanges; a poll that finds nothing does not end its call", async () => {
      const elsewhere = onServer(worker, a, b);
      const id = await a.run(endpoint);
      const body = { alive: [id], results: [], take: 0, wait: 10_000 };
      expect((await elsewhere.exchange({ ...body, alive: [], take: 1 })).json.jobs).toHaveLength(1);
      const told = elsewhere.exchange(body);
      await until("the call is held", () => stopsHeld(b) === 1);
      await pollOnce(b);
      expect(await isPending(told)).toBe(true);

      await a.post(`/v2/${endpoint}/cancel/${id}`);
      expect(await isPending(told)).toBe(true);
      await pollOnce(b);
      expect((await told).json.stop).toEqual([id]);
    });

    test("4a: the end of an endpoint", async () => {
      expect(await submitTo(b)).toBe(200);
      await a.call("DELETE", `/v1/endpoints/${endpoint}`);
      await pollOnce(b);
      expect(await submitTo(b)).toBe(404);
    });

    test("T10: the end of a key, for calls that wait as well", async () => {
      const { key, answer } = await heldWithKey();
      await a.call("DELETE", `/v1/keys/${key.id}`);
      expect(await isPending(answer)).toBe(true);
      await pollOnce(b);
      expect((await answer).json.code).toBe("KEY_UNKNOWN");
      expect((await b.get(`/v2/${endpoint}/health`, key.bearer)).json.code).toBe("KEY_UNKNOWN");
    });
  });

  /** A call with a new key that waits at `b` for the end of a job. */
  async function heldWithKey() {
    const { json } = await a.post("/v1/keys", { name: "a", scopes: ["write"] });
    const key = { id: String(json.id), bearer: { authorization: json.key } };
    const answer = b.get(`/v2/${endpoint}/status-sync/${await a.run(endpoint)}?wait=300000`, key.bearer);
    await until("the call has shown its key", () => b.forebay.engine.keysUsed.has(key.id));
    return { key, answer };
  }

  async function submitTo(server: TestServer): Promise<number> {
    return (await server.post(`/v2/${endpoint}/run`, { input: {} })).status;
  }
});

/** Calls that wait for a job to stop. */
function stopsHeld({ forebay }: TestServer): number {
  return forebay.engine.waits.keys(STOP_KEYS).length;
}

/** The server holds a call for a job. */
async function parked({ forebay }: TestServer, endpoint: string): Promise<void> {
  await until("the call is held", () => forebay.engine.parkedTakes.endpoints().includes(endpoint));
}
