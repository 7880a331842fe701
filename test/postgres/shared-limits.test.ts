import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { HeldRequests } from "../support/held-requests.ts";
import { ManualClock } from "../support/manual-clock.ts";
import type { LentDatabase } from "../support/postgres-server.ts";
import { startStill } from "../support/still-servers.ts";
import { suitePostgres } from "../support/suite-postgres.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const WINDOW = 10_000;

/** Name, call, requests per 10 s, what may be missing or too much, and how many calls at once. */
const TABLE = [
  ["8 rate /purge-queue requests: purge-queue over all servers", "POST", "/purge-queue", 2, 0, 4],
  ["8 rate /requests requests: requests over all servers", "GET", "/requests", 10, 0, 2],
  ["8 rate /cancel requests: cancel over all servers", "POST", "/cancel/none", 100, 0, 16],
  ["8 rate /run requests: run over all servers", "POST", "/run", 1_000, 50, 64],
  ["8 rate /status requests: status over all servers", "GET", "/status/none", 2_000, 100, 64],
] as const;

describe("rate limits over servers on one database", () => {
  const postgres = suitePostgres();
  let database: LentDatabase;
  let servers: TestServer[];
  let endpoint: string;
  beforeEach(async () => {
    database = await postgres().lendDatabase();
    servers = [];
  });
  afterEach(async () => {
    for (const server of servers) await server.stop();
    await database.giveBack();
  });

  describe.each([2, 4])("%d servers", (count) => {
    test.each(TABLE)("%s", async (_name, method, path, requests, play, atOnce) => {
      // All calls come in the same moment, however long they take.
      await startAllStill(count);
      const call = callOf(method, path);
      const { admitted, codes } = await flood(call, Math.max(10, requests * 1.3), atOnce);

      expect(codes).toEqual(["RATE_LIMITED"]);
      expect(admitted).toBeGreaterThanOrEqual(requests - play);
      expect(admitted).toBeLessThanOrEqual(requests + play);
    });
  });

  test("7 429: once the first are over there is room again, and as much as before", async () => {
    const clock = await startAllStill(2);
    const call = callOf("POST", "/purge-queue");
    expect((await flood(call, 10, 2)).admitted).toBe(2);
    const refused = await first().post(`/v2/${endpoint}/purge-queue`);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(WINDOW / 1_000);
    await pass(clock, WINDOW - 1_000);
    expect((await flood(call, 10, 2)).admitted).toBe(0);
    await pass(clock, 1_000);
    expect((await flood(call, 10, 2)).admitted).toBe(2);
  });

  test("8 rate /cancel concurrent: 20 in flight over both, and room for one when one has left", async () => {
    await startAll(2);
    const call = callOf("POST", "/cancel/none");
    const path = `/v2/${endpoint}/cancel/none`;
    await using onFirst = new HeldRequests(first().url, 13, "POST", path, true);
    await using onSecond = new HeldRequests(last().url, 7, "POST", path, true);
    for (const server of [0, 1])
      await until("no more are let in", async () => (await call(server)) === "TOO_MANY_AT_ONCE");
    expect(onFirst.answered + onSecond.answered).toBe(0);
    onFirst.close(1);
    await until("there is room on the other server", async () => (await call(1)) === "");
  });

  test("8 rate /requests concurrent: what a server that has ended had in flight counts no more", async () => {
    await startAll(2);
    const call = callOf("GET", "/requests");
    const key = [endpoint, "requests"] as const;
    const { shared } = first().forebay.engine.store;
    const { server } = last().forebay.engine;
    const body = JSON.stringify({ used: [], inFlight: { [server]: 2 } });
    await shared?.putRate(...key, { version: 1, body, until: Number.MAX_SAFE_INTEGER });
    expect(await call(0)).toBe("TOO_MANY_AT_ONCE");
    await stopLast();
    await until("its requests are forgotten", async () => (await call(0)) === "");
  });

  test("a server alone asks nobody, and one that comes later knows what it has let in", async () => {
    await startAll(1);
    expect((await flood(callOf("POST", "/cancel/none"), 110, 16)).admitted).toBe(100);
    expect((await flood(callOf("GET", "/requests"), 4, 1)).admitted).toBe(4);
    expect((await flood(callOf("GET", "/status/none"), 1_500, 64)).admitted).toBe(1_500);
    expect(await rates()).toBe(0);

    await start();
    expect((await flood(callOf("POST", "/cancel/none"), 20, 4)).admitted).toBe(0);
    expect((await flood(callOf("GET", "/requests"), 20, 1)).admitted).toBe(6);
    const { admitted } = await flood(callOf("GET", "/status/none"), 1_000, 64);
    expect(admitted).toBeGreaterThanOrEqual(400);
    expect(admitted).toBeLessThanOrEqual(600);
  });

  test("the counts of one endpoint are not those of another", async () => {
    await startAll(2);
    expect((await flood(callOf("POST", "/purge-queue"), 6, 2)).admitted).toBe(2);
    endpoint = await first().endpoint();
    await known();
    expect((await flood(callOf("POST", "/purge-queue"), 6, 2)).admitted).toBe(2);
  });

  test("counts are forgotten when they are worth nothing any more", async () => {
    await startAll(2);
    await flood(callOf("POST", "/purge-queue"), 4, 2);
    expect(await rates()).toBe(1);
    const { shared } = first().forebay.engine.store;
    await shared?.forgetRates(first().forebay.engine.clock.now() + 2 * WINDOW);
    expect(await rates()).toBe(0);
  });

  async function startAll(count: number): Promise<void> {
    for (let n = 0; n < count; n++) await start();
    endpoint = await first().endpoint();
    await known();
    // Alone it would not be: they all know each other.
    await until("they count together", () =>
      servers.every(({ forebay }) => forebay.engine.peers?.others() === count - 1),
    );
  }

  /** Their clock stands still, so no request is ever too old to count. */
  async function startAllStill(count: number): Promise<ManualClock> {
    const clock = new ManualClock();
    const flags = { "database-url": database.url, "secret-key": "the same on all" };
    for (let n = 0; n < count; n++) servers.push(await startStill(clock, flags));
    endpoint = await first().endpoint();
    await known();
    await until("they count together", async () => {
      await pass(clock, 500);
      return servers.every(({ forebay }) => forebay.engine.peers?.others() === count - 1);
    });
    return clock;
  }

  /** In steps after which each server hears of the others. */
  async function pass(clock: ManualClock, ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      await clock.advance(500);
      await Promise.all(servers.map(({ forebay }) => forebay.engine.peers?.meet()));
    }
  }

  async function start(): Promise<void> {
    const flags = { "database-url": database.url, "secret-key": "the same on all" };
    servers.push(await TestServer.start({ flags }));
  }

  async function known(): Promise<void> {
    await until("the endpoint is known", () =>
      servers.every(({ forebay }) => forebay.engine.configuration.get("endpoint", endpoint)),
    );
  }

  async function stopLast(): Promise<void> {
    await servers.pop()?.stop();
  }

  async function rates(): Promise<number> {
    const name = new URL(database.url).pathname.slice(1);
    return (await postgres().run(`SELECT 1 FROM forebay.rate WHERE subject = '${endpoint}'`, name)).length;
  }

  /** Calls a server, by its number; the answer is the code of the refusal, or nothing. */
  function callOf(method: "GET" | "POST", path: string): (server: number) => Promise<string> {
    return async (server) => {
      const body = method === "POST" ? "" : undefined;
      const called = servers[server] ?? first();
      const { status, json } = await called.call(method, `/v2/${endpoint}${path}`, body);
      return status === 429 ? json.code : "";
    };
  }

  /** Two thirds of the calls come to the first server. */
  async function flood(call: (server: number) => Promise<string>, total: number, atOnce: number) {
    let sent = 0;
    let admitted = 0;
    const codes = new Set<string>();
    const callers = Array.from({ length: atOnce }, async () => {
      while (sent < total) {
        const number = sent++;
        const code = await call(number % 3 < 2 ? 0 : 1 + (number % Math.max(1, servers.length - 1)));
        if (code === "") admitted++;
        else codes.add(code);
      }
    });
    await Promise.all(callers);
    return { admitted, codes: [...codes] };
  }

  function first(): TestServer {
    const [server] = servers;
    if (server === undefined) throw new Error("no server runs");
    return server;
  }

  function last(): TestServer {
    return servers.at(-1) ?? first();
  }
});
