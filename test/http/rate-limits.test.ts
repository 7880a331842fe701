import { describe, expect, test } from "bun:test";
import { freshServer } from "../support/fresh-server.ts";
import { HeldRequests } from "../support/held-requests.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import { refusalsOf } from "../support/refusals-of.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

/** Name, operation, call, requests per 10 s; design row 17 for what spec 8 does not show. */
const TABLE = [
  ["8 rate /runsync requests: runsync", "runsync", "POST", "/runsync", 2_000],
  ["8 rate /run requests: run", "run", "POST", "/run", 1_000],
  ["8 rate /status requests: status", "status", "GET", "/status/none", 2_000],
  ["design row 17: status-sync", "status-sync", "GET", "/status-sync/none", 2_000],
  ["8 rate /stream requests: stream", "stream", "GET", "/stream/none", 2_000],
  ["8 rate /cancel requests: cancel", "cancel", "POST", "/cancel/none", 100],
  ["design row 17: retry", "retry", "POST", "/retry/none", 1_000],
  ["8 rate /purge-queue requests: purge-queue", "purge-queue", "POST", "/purge-queue", 2],
  ["design row 17: health", "health", "GET", "/health", 2_000],
  ["8 rate /openai requests: openai", "openai", "POST", "/openai/v1/embeddings", 2_000],
  ["8 rate /requests requests: requests", "requests", "GET", "/requests", 10],
] as const;

const WINDOW = 10_000;

describe("rate limits refuse what is over them, and nothing else", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  freshServer((fresh) => ({ clock, server, endpoint } = fresh), { isStill: true });

  describe.each(TABLE)("%s", (_name, operation, method, path, requests) => {
    // An empty body is refused by run and runsync, and counts: it came with a key.
    const call = () => server.call(method, `/v2/${endpoint}${path}`, method === "POST" ? "" : undefined);

    test(`7 429: ${requests} within any 10 s; the next waits until the first are over`, async () => {
      expect(await refusalsOf(requests - 1, call)).toBe(0);
      await clock.advance(4_000);
      expect((await call()).status).not.toBe(429);

      const refused = await call();
      expect([refused.status, refused.json.code]).toEqual([429, "RATE_LIMITED"]);
      expect(refused.headers.get("retry-after")).toBe("6");
      expect(refused.headers.get("ratelimit-policy")).toBe(`"${operation}";q=${requests};w=10`);
      expect(refused.headers.get("ratelimit")).toBe(`"${operation}";r=0;t=6`);

      await clock.advance(5_999);
      expect((await call()).status).toBe(429);
      await clock.advance(1);
      // Those that came first make room; the one of 4 s later still counts.
      expect(await refusalsOf(requests - 1, call)).toBe(0);
      expect((await call()).status).toBe(429);
      await clock.advance(4_000);
      expect((await call()).status).not.toBe(429);
      expect((await call()).status).toBe(429);
    });
  });

  test("8 dynamic 2: input 30: 1,001 runs at the edge of a window make 1,000 jobs", async () => {
    const run = () => server.post(`/v2/${endpoint}/run`, { input: {} });
    expect(await refusalsOf(500, run)).toBe(0);
    await clock.advance(WINDOW - 1);
    expect(await refusalsOf(501, run)).toBe(1);
    expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue).toBe(1_000);
    await clock.advance(1);
    expect(await refusalsOf(501, run)).toBe(1);
    expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue).toBe(1_500);
  });

  test("refused requests do not count: after Retry-After the call succeeds", async () => {
    const purge = () => server.post(`/v2/${endpoint}/purge-queue`);
    expect(await refusalsOf(500, purge)).toBe(498);
    await clock.advance(WINDOW);
    expect(await refusalsOf(3, purge)).toBe(1);
  });

  test("requests without a key of the endpoint, and those to no endpoint, do not count", async () => {
    const path = `/v2/${endpoint}/purge-queue`;
    const { env } = (await server.post(`/v1/endpoints/${endpoint}/workers`)).json;
    for (const authorization of ["wrong", env.RUNPOD_AI_API_KEY]) {
      for (let n = 0; n < 5; n++) expect((await server.post(path, "", { authorization })).status).toBe(401);
    }
    const nowhere = () => server.post("/v2/none/purge-queue");
    for (let n = 0; n < 5; n++) expect((await nowhere()).status).toBe(404);
    expect(await refusalsOf(2, () => server.post(path))).toBe(0);
  });

  test("each endpoint and each operation counts on its own, and the dialects together", async () => {
    const other = await server.endpoint();
    const purge = (id: string, base = "") => server.post(`${base}/v2/${id}/purge-queue`);
    expect((await purge(endpoint)).status).toBe(200);
    expect((await purge(endpoint, "/sdk")).status).toBe(200);
    expect((await purge(endpoint, "/sdk")).status).toBe(429);
    expect((await purge(endpoint)).status).toBe(429);
    expect((await purge(other)).status).toBe(200);
    expect((await server.get(`/v2/${endpoint}/health`)).status).toBe(200);
  });

  test("GET and POST of one operation count together", async () => {
    const path = `/v2/${endpoint}/status/none`;
    expect(await refusalsOf(1_000, () => server.get(path))).toBe(0);
    expect(await refusalsOf(1_001, () => server.post(path))).toBe(1);
  });

  test("answers have the limit and what is left of it", async () => {
    const first = await server.get(`/v2/${endpoint}/requests`);
    expect(first.headers.get("ratelimit-policy")).toBe('"requests";q=10;w=10');
    expect(first.headers.get("ratelimit")).toBe('"requests";r=9;t=10');
    await clock.advance(2_500);
    const second = await server.get(`/v2/${endpoint}/requests`);
    expect(second.headers.get("ratelimit")).toBe('"requests";r=8;t=8');
    expect(second.headers.get("retry-after")).toBeNull();
  });

  test("the refusal does not wait for the body", async () => {
    const run = () => server.post(`/v2/${endpoint}/run`, "");
    await refusalsOf(1_000, run);
    const path = `/v2/${endpoint}/run`;
    await using held = new HeldRequests(server.url, 1, "POST", path, true);
    await until("the refusal", () => held.answered === 1);
  });

  describe("at once", () => {
    const [PARKED, CUT_SHORT] = [false, true];

    test.each([
      ["8 rate /runsync concurrent: runsync", "runsync", "POST", "/runsync", 400, PARKED],
      ["8 rate /run concurrent: run", "run", "POST", "/run", 200, CUT_SHORT],
      ["design row 17: status-sync", "status-sync", "GET", "/status-sync/{job}?wait=300000", 400, PARKED],
      ["8 rate /stream concurrent: stream", "stream", "GET", "/stream/{job}?from=0&wait=300000", 400, PARKED],
      ["8 rate /openai concurrent: openai", "openai", "POST", "/openai/v1/embeddings", 400, PARKED],
      ["8 rate /cancel concurrent: cancel", "cancel", "POST", "/cancel/none", 20, CUT_SHORT],
      ["design row 17: retry", "retry", "POST", "/retry/none", 200, CUT_SHORT],
    ])(
      "%s: %s, %s %s, %d may be in flight, those that wait included",
      async (_name, operation, method, path, most, isCutShort) => {
        const job = await server.run(endpoint);
        const address = `/v2/${endpoint}${path.replace("{job}", job)}`;
        // What it would wait for is refused or ends at once, so that no probe stays.
        const probe = () =>
          server.call(method, address.replace(/wait=\d+/, "wait=1"), method === "GET" ? undefined : "");
        await using held = new HeldRequests(server.url, most, method, address, isCutShort);

        const refused = await until("the refusal", async () => {
          const answer = await probe();
          return answer.status === 429 && answer;
        });

        expect(refused.json.code).toBe("TOO_MANY_AT_ONCE");
        expect(refused.headers.get("retry-after")).toBe("1");
        expect(refused.headers.get("ratelimit-policy")).toContain(
          `"${operation}-concurrent";q=${most};qu="concurrent-requests"`,
        );
        expect(refused.headers.get("ratelimit")).toEndWith(`"${operation}-concurrent";r=0`);
        expect(held.answered).toBe(0);
        held.close(1);
        await until("room for one", async () => (await probe()).status !== 429);
      },
      20_000,
    );

    test("a refused runsync makes no job", async () => {
      const address = `/v2/${endpoint}/runsync`;
      await using held = new HeldRequests(server.url, 400, "POST", address, false);
      const inQueue = async () => (await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue;
      await until("all jobs", async () => (await inQueue()) === 400);
      expect((await server.post(address, { input: {} })).json.code).toBe("TOO_MANY_AT_ONCE");
      expect(await inQueue()).toBe(400);
      expect(held.answered).toBe(0);
    });
  });

  describe("raised limits", () => {
    test("hold instead of the table's, for their endpoint and operation only", async () => {
      const rateLimits = { "purge-queue": { requests: 5 }, requests: { requests: 12, concurrent: 3 } };
      const raised = await server.endpoint({ rateLimits });
      expect((await server.get(`/v1/endpoints/${raised}`)).json.rateLimits).toEqual(rateLimits);
      expect(await refusalsOf(6, () => server.post(`/v2/${raised}/purge-queue`))).toBe(1);
      expect(await refusalsOf(13, () => server.get(`/v2/${raised}/requests`), 1)).toBe(1);
      expect(await refusalsOf(101, () => server.post(`/v2/${raised}/cancel/none`))).toBe(1);
      expect(await refusalsOf(3, () => server.post(`/v2/${endpoint}/purge-queue`))).toBe(1);
    });

    test("hold at once as well", async () => {
      const raised = await server.endpoint({ rateLimits: { cancel: { concurrent: 30 } } });
      const path = `/v2/${raised}/cancel/none`;
      await using held = new HeldRequests(server.url, 30, "POST", path, true);
      await until("the refusal", async () => (await server.post(path)).status === 429);
      expect(held.answered).toBe(0);
    });

    test.each([
      [{ run: { requests: 999 } }, "rateLimits.run.requests", "must be at least 1000"],
      [{ run: { concurrent: 199 } }, "rateLimits.run.concurrent", "must be at least 200"],
      [{ run: { requests: "many" } }, "rateLimits.run.requests", ""],
      [{ "purge-queue": { concurrent: 5 } }, "rateLimits.purge-queue", "concurrent"],
      [{ "job-take": { requests: 5_000 } }, "rateLimits", "job-take"],
      [{ run: { perWorker: 50 } }, "rateLimits.run", "perWorker"],
    ])("%j is refused, naming %s", async (rateLimits, place, reason) => {
      const { status, json } = await server.post("/v1/endpoints", { name: "chat", rateLimits });
      expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
      expect(json.error).toStartWith(place);
      expect(json.error).toContain(reason);
    });
  });

  test("design row 17: all operations under /v1 together have 2000 per account", async () => {
    await clock.advance(WINDOW);
    expect(await refusalsOf(1_000, () => server.get("/v1/endpoints"))).toBe(0);
    expect(await refusalsOf(1_000, () => server.get("/v1/endpoints/none"))).toBe(0);
    const refused = await server.post("/v1/templates", { name: "t", imageName: "i" });
    expect([refused.status, refused.headers.get("ratelimit")]).toEqual([429, '"management";r=0;t=10']);
    expect((await server.get(`/v2/${endpoint}/health`)).status).toBe(200);
    await clock.advance(WINDOW);
    expect((await server.post("/v1/templates", { name: "t", imageName: "i" })).status).toBe(200);
  });

  test("wire-facts 22: workers' calls are never limited", async () => {
    const worker = await server.worker(endpoint);
    expect(await refusalsOf(2_100, () => worker.ping())).toBe(0);
  });

  test("a restart begins a new window", async () => {
    await using directory = await temporaryDirectory();
    const flags = { data: directory.path };
    let restarted = await TestServer.start({ clock, flags });
    const path = `/v2/${await restarted.endpoint()}/purge-queue`;
    expect(await refusalsOf(3, () => restarted.post(path))).toBe(1);
    await restarted.stop();
    restarted = await TestServer.start({ clock, flags });
    expect(await refusalsOf(3, () => restarted.post(path))).toBe(1);
    await restarted.stop();
  });
});
