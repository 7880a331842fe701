import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { emptyFigures } from "../../src/domain/figures.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { NO_FIGURES, NO_WORKERS } from "../support/no-figures.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";

/** Why jobs wait on an endpoint that nobody has connected a worker to. */
const nobody = (name: string) => ({
  code: "NO_WORKERS",
  message: "No worker is connected. Start one: `forebay worker env` prints the variables it needs.",
  command: `forebay worker env --endpoint ${name}`,
});

describe("statistics of an endpoint", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  beforeEach(async () => {
    clock = new ManualClock();
    server = await TestServer.start({ clock });
    endpoint = await server.endpoint();
  });
  afterEach(async () => {
    await server.stop();
  });

  const path = (query = "", id = endpoint): string => `/v1/endpoints/${id}/statistics${query}`;

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  const read = async (query = "", on = server): Promise<any> => (await on.get(path(query))).json;

  test("a new endpoint has no figures, and answers every member", async () => {
    const at = clock.now();
    const { name } = (await server.get(`/v1/endpoints/${endpoint}`)).json;
    expect(await read()).toEqual({
      endpointId: endpoint,
      period: "1h",
      step: 10_000,
      from: new Date(at - 3_590_000).toISOString(),
      to: new Date(at).toISOString(),
      now: { inQueue: 0, inProgress: 0, workers: NO_WORKERS, waits: nobody(name) },
      total: NO_FIGURES,
      points: [],
    });
  });

  test("each end of a job is counted once, with how long it waited and ran", async () => {
    const worker = await server.worker(endpoint);
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await server.run(endpoint));
    await clock.advance(40);
    const [completed = "", failed = "", cancelled = "", waiting = ""] = ids;
    for (const _ of [completed, failed, cancelled]) await worker.takeBatch(1, 1);
    await clock.advance(250);
    await worker.done(completed, { output: 1 });
    // What comes late changes nothing.
    await worker.done(completed, { output: 2 });
    await worker.done(failed, { error: "broken" });
    await server.post(`/v2/${endpoint}/cancel/${cancelled}`);
    await server.post(`/v2/${endpoint}/cancel/${waiting}`);
    await server.post(`/v2/${endpoint}/retry/${failed}`);

    const { total, now, points } = await read();
    const delay = { count: 3, p50: 33, p95: 39, p99: 40 };
    const execution = { count: 3, p50: 205, p95: 246, p99: 249 };
    const counts = { submitted: 6, taken: 3, completed: 1, failed: 1, cancelled: 2, retried: 1 };
    expect(total).toEqual({ ...NO_FIGURES, ...counts, delay, execution });
    expect(now).toEqual({
      inQueue: 3,
      inProgress: 0,
      oldestMs: 290,
      workers: { ...NO_WORKERS, idle: 1, ready: 1 },
    });
    expect(points).toEqual([
      { at: new Date(1_800_000_000_000).toISOString(), ...total, inQueue: 3, inProgress: 0 },
    ]);
    expect((await server.post(`/v2/${endpoint}/purge-queue`)).json.removed).toBe(3);
    expect((await read()).total.cancelled).toBe(5);
  });

  test("a lost attempt counts as lost, and after the last one its job as failed", async () => {
    const { store } = server.forebay.engine;
    const worker = await server.worker(endpoint);
    const job = await server.run(endpoint);
    const end = { outcome: "LOST", error: "the worker ended", exit: undefined } as const;
    const lose = { step: "giveBack", endpoint, id: job, undelivered: 0, barUntil: 0, end } as const;
    await worker.take();
    await store.apply([{ ...lose, attempt: 1, losses: 1 }], clock.now());
    await worker.take();
    await store.apply([{ ...lose, attempt: 2, losses: 1, undelivered: 1 }], clock.now());
    await worker.take();
    await store.apply(
      [
        {
          step: "finish",
          event: "giveUp",
          endpoint,
          id: job,
          worker: undefined,
          attempt: 3,
          output: undefined,
          error: undefined,
          retention: 0,
        },
      ],
      clock.now(),
    );
    expect((await read()).total).toMatchObject({ submitted: 1, taken: 3, lost: 2, failed: 1, retried: 0 });
  });

  test("slots of 10 s and of an hour have each change once, and the depth at their end", async () => {
    await server.run(endpoint);
    await clock.advance(25_000);
    await server.run(endpoint);
    await server.run(endpoint);
    await clock.advance(6_000);
    await clock.standStill(3_600_000 - 31_000);
    await server.run(endpoint);
    await clock.advance(500);

    const shown = async (query: string) =>
      // oxlint-disable-next-line typescript/no-explicit-any -- points of any shape
      (await read(query)).points.map(({ at, submitted, inQueue }: any) => [
        Date.parse(at) - 1_800_000_000_000,
        submitted,
        inQueue,
      ]);
    // The first one is an hour ago.
    expect(await shown("?period=1h")).toEqual([
      [20_000, 2, 3],
      [3_600_000, 1, 4],
    ]);
    expect(await shown("?period=15m")).toEqual([[3_600_000, 1, 4]]);
    for (const period of ["7d", "30d"]) {
      expect(await shown(`?period=${period}`)).toEqual([
        [0, 3, 3],
        [3_600_000, 1, 4],
      ]);
    }
    await server.post(`/v2/${endpoint}/purge-queue`);
    await clock.advance(6_000);
    await clock.standStill(7 * 86_400_000);
    expect((await read("?period=7d")).total.submitted).toBe(0);
    expect((await read("?period=30d")).total.submitted).toBe(4);
    await clock.standStill(24 * 86_400_000);
    await clock.advance(10_000);
    expect((await read("?period=30d")).points).toEqual([]);
    // And nothing of it is kept.
    expect(await server.forebay.engine.store.statistics(endpoint, 3_600_000, 0)).toEqual([]);
    expect(await server.forebay.engine.store.statistics(endpoint, 10_000, 0)).toEqual([]);
  });

  test("what a crash loses was counted within the last 6 s: all before is durable", async () => {
    const kept = async (): Promise<number> => {
      const slots = await server.forebay.engine.store.statistics(endpoint, 3_600_000, 0);
      return slots.reduce((sum, { figures }) => sum + figures.counts.submitted, 0);
    };
    for (let second = 1; second <= 30; second++) {
      await server.run(endpoint);
      await clock.advance(1_000);
      expect(await kept()).toBeGreaterThanOrEqual(second - 6);
      expect((await read()).total.submitted).toBe(second);
    }
  });

  test("what another server has counted is added, also if it comes a little late", async () => {
    await server.run(endpoint);
    const at = clock.now();
    const figures = emptyFigures();
    figures.counts.submitted = 10;
    const add = () =>
      server.forebay.engine.store.apply(
        [{ step: "addStatistics", server: "other", slots: [{ endpoint, width: 10_000, at, figures }] }],
        clock.now(),
      );
    await add();
    expect((await read()).total.submitted).toBe(11);
    await clock.advance(15_000);
    expect((await read()).total.submitted).toBe(11);
    await add();
    expect((await read()).total.submitted).toBe(21);
    await clock.advance(60_000);
    expect((await read()).total.submitted).toBe(21);
  });

  test("statistics are there after a restart, with what came just before it", async () => {
    await using directory = await temporaryDirectory();
    const start = () => TestServer.start({ clock, flags: { data: join(directory.path, "data") } });
    let restarted = await start();
    endpoint = await restarted.endpoint();
    for (let n = 0; n < 3; n++) await restarted.run(endpoint);
    const before = await read("", restarted);
    await restarted.stop();
    restarted = await start();
    expect(await read("", restarted)).toEqual(before);
    expect(before.total.submitted).toBe(3);
    await restarted.run(endpoint);
    expect((await read("?period=30d", restarted)).total.submitted).toBe(4);
    await restarted.stop();
  });

  test("a deleted endpoint has none, and other periods are refused", async () => {
    for (const period of ["", "2h", "1H", "toString", "15m&period=15m"]) {
      expect((await server.get(path(`?period=${period}`))).json).toMatchObject({ code: "INVALID_QUERY" });
      expect((await server.get(`/v1/statistics?period=${period}`)).json.code).toBe("INVALID_QUERY");
    }
    await server.run(endpoint);
    await clock.advance(6_000);
    await server.call("DELETE", `/v1/endpoints/${endpoint}`);
    expect((await server.get(path())).json.code).toBe("ENDPOINT_NOT_FOUND");
    await clock.advance(10_000);
    expect(await server.forebay.engine.store.statistics(endpoint, 10_000, 0)).toEqual([]);
    expect(server.forebay.engine.statistics.sinceStart.size).toBe(0);
  });

  test("the overview has the endpoints of the account, or those of the key", async () => {
    const other = await server.endpoint({ name: "other" });
    await server.run(other);
    const now = { inQueue: 1, inProgress: 0, oldestMs: 0, workers: NO_WORKERS, waits: nobody("other") };
    const ofOther = { endpointId: other, name: "other", now, total: { ...NO_FIGURES, submitted: 1 } };
    const { json } = await server.get("/v1/statistics?period=7d");
    expect(json.period).toBe("7d");
    expect(json.endpoints).toHaveLength(2);
    expect(json.endpoints).toContainEqual(ofOther);
    const bound = await server.key("read", { endpoints: [other] });
    expect((await server.get("/v1/statistics", bound)).json).toEqual({ period: "1h", endpoints: [ofOther] });
    const foreign = await server.key("read", { account: await server.account() });
    expect((await server.get("/v1/statistics", foreign)).json.endpoints).toEqual([]);
  });
});
