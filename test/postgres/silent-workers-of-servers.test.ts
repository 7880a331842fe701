import { beforeEach, describe, expect, test } from "bun:test";
import { sweepDeadlines, sweepSilentWorkers } from "../../src/engine/sweep.ts";
import { STOP_KEYS } from "../../src/engine/wait-keys.ts";
import { lookAgain } from "../../src/engine/wake.ts";
import { gateBefore } from "../races/in-order.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { onServer } from "../support/on-server.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";
import { knows, sharedServers } from "./shared-servers.ts";

const SECOND = 1_000;

describe("workers that call two servers on one database (decision 0033)", () => {
  const servers = sharedServers();
  let clock: ManualClock;
  let a: TestServer;
  let b: TestServer;
  let endpoint: string;

  beforeEach(async () => {
    clock = new ManualClock();
    a = await start();
    b = await start();
    endpoint = await a.endpoint();
    await knows(b, endpoint);
  });

  const start = (more: Readonly<Record<string, string>> = {}): Promise<TestServer> =>
    servers.start({ ...LOOPBACK_ALLOWED, ...more }, clock);

  /** One worker, as it calls each of the servers. */
  async function worker(kind: "silent" | "own token"): Promise<readonly [TestWorker, TestWorker]> {
    const [shared] = kind === "silent" ? await a.workers(endpoint, 1) : [await a.worker(endpoint)];
    if (shared === undefined) throw new Error("no worker was made");
    return [shared, onServer(shared, a, b)];
  }

  const status = (id: string) => a.status(endpoint, id);

  /** `ping` is called every 3 s, then the leases are checked. */
  async function pass(seconds: number, ping: () => Promise<unknown> = async () => undefined): Promise<void> {
    for (let second = 0; second < seconds; second += 3) {
      for (let step = 0; step < 3; step++) {
        await clock.advance(SECOND);
        await looked();
      }
      await ping();
      await sweepDeadlines(a.forebay.engine, false);
      await sweepSilentWorkers(a.forebay.engine);
    }
  }

  /** Both servers have done what they do once a second. */
  async function looked(): Promise<void> {
    for (const { forebay } of [a, b]) await lookAgain(forebay.engine);
  }

  describe("a silent worker", () => {
    test("that begins a take at the other server has lost its job, however soon", async () => {
      const [atA, atB] = await worker("silent");
      const id = await a.run(endpoint);
      expect((await atA.take()).json.id).toBe(id);
      expect((await atB.take()).json.id).toBe(id);
      expect(await status(id)).toMatchObject({ status: "IN_PROGRESS", retries: 1 });
    });

    test("that begins it where no word of the hand-out came has lost its job in 1 s", async () => {
      await servers.stop(b);
      b = await start(servers.deaf());
      const [atA, atB] = await worker("silent");
      const before = await b.run(endpoint);
      expect((await atB.take()).json.id).toBe(before);
      await atB.done(before, { output: 1 });
      const id = await a.run(endpoint);
      expect((await atA.take()).json.id).toBe(id);
      const unheard = atB.take();
      await until("the call is held", () => b.forebay.engine.parkedTakes.endpoints().length === 1);
      await clock.advance(SECOND);
      expect((await unheard).status).toBe(204);
      expect((await atB.take()).json.id).toBe(id);
      expect(await status(id)).toMatchObject({ status: "IN_PROGRESS", retries: 1 });
    });

    test("that began the take before the other server handed a job out keeps that", async () => {
      const [atA, atB] = await worker("silent");
      const [first, second] = [await a.run(endpoint), await a.run(endpoint)];
      const gate = gateBefore(b.forebay.engine.store);
      const begun = atB.take();
      await gate.waits("seen");
      gate.pass("seen");
      await gate.waits("take");
      expect((await atA.take()).json.id).toBe(first);
      gate.open();
      expect((await begun).json.id).toBe(second);
      for (const id of [first, second]) {
        expect(await status(id)).toMatchObject({ status: "IN_PROGRESS" });
        expect(await status(id)).not.toHaveProperty("retries");
      }
      // The next one says that it has neither.
      await atB.take();
      for (const id of [first, second]) expect(await status(id)).toMatchObject({ retries: 1 });
    });

    test("reports at the other server: COMPLETED", async () => {
      const [atA, atB] = await worker("silent");
      const id = await a.run(endpoint);
      await atA.take();
      await pass(30);
      await atB.done(id, { output: "done" });
      const record = await status(id);
      expect(record).toMatchObject({ status: "COMPLETED", output: "done", executionTime: 30 * SECOND });
      expect(record).not.toHaveProperty("retries");
    });

    test("that pings one server and takes at the other has its lease by these pings", async () => {
      const [atA, atB] = await worker("silent");
      await atA.ping();
      const id = await a.run(endpoint);
      await atB.take();
      await pass(30, () => atA.ping([id]));
      expect(await status(id)).toMatchObject({ status: "IN_PROGRESS" });
      expect(await status(id)).not.toHaveProperty("retries");
      await pass(12);
      expect(await status(id)).toMatchObject({ status: "IN_QUEUE", retries: 1 });
    });

    test("that has pinged one server, and dies with a job of the other before it lists it", async () => {
      const [atA, atB] = await worker("silent");
      await atA.ping();
      const id = await a.run(endpoint);
      await atB.take();
      await pass(12);
      expect((await status(id)).status).toBe("IN_QUEUE");
    });
  });

  test("R12: a late result at one server ends the job that another worker runs at the other", async () => {
    await using receiver = await WebhookReceiver.start();
    const [late, lateAtB] = await worker("own token");
    const other = await a.worker(endpoint);
    const id = await a.run(endpoint, {}, { webhook: receiver.url() });
    await clock.advance(2 * SECOND);
    await late.take();
    await late.ping([id]);
    await pass(12);
    expect(await status(id)).toMatchObject({ status: "IN_QUEUE", retries: 1 });
    expect((await other.take()).json.id).toBe(id);
    await other.ping([id]);
    const stops = other.stops();
    await until("the call is held", () => a.forebay.engine.waits.keys(STOP_KEYS).length === 1);
    await clock.advance(3 * SECOND);

    await lateAtB.done(id, { output: "late" });
    expect((await stops).json).toEqual({ jobsToStop: [id] });
    await other.done(id, { output: "of the other one" });
    await lateAtB.done(id, { output: "late again" });

    const won = { status: "COMPLETED", workerId: late.id, output: "late", retries: 1 };
    const times = { delayTime: 2 * SECOND, executionTime: 15 * SECOND };
    for (const server of [a, b])
      expect(await server.status(endpoint, id)).toMatchObject({ ...won, ...times });
    await until("the webhook is sent", async () => {
      await clock.advance(SECOND / 10);
      return receiver.calls.length > 0;
    });
    for (const { body } of receiver.calls) expect(JSON.parse(body)).toMatchObject({ id, ...won, ...times });
    const { json } = await a.get(`/v1/endpoints/${endpoint}/webhooks`);
    expect(json.webhooks).toHaveLength(1);
    expect((await a.get(`/v2/${endpoint}/health`)).json.jobs).toMatchObject({ completed: 1, inProgress: 0 });
    // Nothing else is sent.
    await pass(12);
    expect(receiver.calls).toHaveLength(1);
  });

  test("each server forgets the workers that have not called it for long", async () => {
    const [atA, atB] = await worker("silent");
    for (const at of [atA, atB]) await at.stream("unknown", { output: 1 });
    const known = () => [a, b].map(({ forebay: { engine } }) => engine.hasPinged.size);
    expect(known()).toEqual([1, 1]);
    await clock.advance(610 * SECOND);
    await until("both have forgotten it", () => known().every((size) => size === 0));
  });

  describe("a worker with calls open at both servers", () => {
    let atA: TestWorker;
    let atB: TestWorker;
    let id: string;
    beforeEach(async () => {
      [atA, atB] = await worker("own token");
      id = await a.run(endpoint);
      await atA.take();
      await atA.ping([id]);
    });

    /** A call that stays open until it is broken, once the server has seen that. */
    async function openAt(server: TestServer): Promise<() => Promise<void>> {
      const { openCalls, waits } = server.forebay.engine;
      const broken = new AbortController();
      const call = (server === a ? atA : atB).stops(broken.signal).catch(() => undefined);
      await until("the call is held", () => waits.keys(STOP_KEYS).length === 1);
      return async () => {
        broken.abort();
        await call;
        await until("the server has seen it", () => openCalls.size === 0);
      };
    }
    const isMarked = async () => {
      const [row] = await a.forebay.engine.store.workers(endpoint, 0);
      return row?.hasHungUp === true;
    };
    const pings = () => atA.ping([id]);
    const isKept = async () => {
      const record = await status(id);
      expect(record).toMatchObject({ status: "IN_PROGRESS" });
      expect(record).not.toHaveProperty("retries");
    };

    test("lives while one of them is open", async () => {
      const breakA = await openAt(a);
      const breakB = await openAt(b);
      await breakA();
      await until("it is written", isMarked);
      await pass(30, pings);
      await isKept();
      await breakB();
      await until("it is written", isMarked);
      await pass(12, pings);
      expect(await status(id)).toMatchObject({ status: "IN_QUEUE", retries: 1 });
    });

    test("is dead when both have broken, though its pings go on", async () => {
      const breakA = await openAt(a);
      const breakB = await openAt(b);
      await breakA();
      await breakB();
      await until("it is written", isMarked);
      await pass(6, pings);
      await isKept();
      await pass(6, pings);
      expect(await status(id)).toMatchObject({ status: "IN_QUEUE", retries: 1 });
    });

    test("lives when it calls the other server within a second of its last call there", async () => {
      const breakA = await openAt(a);
      await atB.stream(id, { output: 1 });
      await clock.advance(100);
      await breakA();
      await until("it is written", isMarked);
      await clock.advance(100);
      await atB.stream(id, { output: 2 });
      await pass(30, pings);
      await isKept();
    });
  });
});
