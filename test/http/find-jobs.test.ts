import { describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { freshWorker } from "../support/fresh-server.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;

/** What a page shows if an error, a tag or an input were taken for something else than text. */
const HOSTILE = `<img src=x onerror=alert(1)>%' OR 1=1;--","\u202e\u001b[2J`;

describe("GET /v1/jobs", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ clock, server, endpoint, worker } = fresh), { isStill: true });

  const find = async (query = "", key?: Record<string, string>) =>
    (await server.get(`/v1/jobs${query}`, key)).json;
  const ids = async (query = "", key?: Record<string, string>): Promise<string[]> =>
    (await find(query, key)).jobs.map(({ id }: { id: string }) => id);
  const iso = (ms: number): string => new Date(ms).toISOString();

  /** A job that ran for so long and ended so. */
  async function ended(
    result: object,
    ms = 300,
    submission: Record<string, unknown> = {},
    by = worker,
  ): Promise<string> {
    const on = by === worker ? endpoint : other;
    const id = await server.run(on, {}, submission);
    await by.takeBatch(1);
    // The worker pings before it counts as lost.
    for (let left = ms; left > 0; left -= 3 * SECOND) {
      await clock.advance(Math.min(left, 3 * SECOND));
      await by.ping([id]);
    }
    await by.done(id, result);
    return id;
  }

  let other = "";
  async function anotherWorker(): Promise<TestWorker> {
    other = await server.endpoint({ name: "two words" });
    return server.worker(other);
  }

  test("jobs of all endpoints: waiting and running ones first, then finished ones by their end", async () => {
    const second = await anotherWorker();
    const failed = await ended({ error: `${HOSTILE}\nline two` }, 300, { policy: { tags: ["a", "b"] } });
    const failedAt = clock.now();
    const completed = await ended({ output: [1] }, 500, {}, second);
    const running = await server.run(endpoint);
    await worker.takeBatch(1);
    const waiting = await server.run(other);
    await clock.advance(1_500);

    const { jobs, historyMs, nextCursor } = await find();
    expect(jobs.map(({ id }: { id: string }) => id)).toEqual([waiting, running, completed, failed]);
    expect([historyMs, nextCursor]).toEqual([7 * 24 * HOUR, undefined]);
    expect(jobs[3]).toEqual({
      id: failed,
      endpointId: endpoint,
      endpoint: (await server.get(`/v1/endpoints/${endpoint}`)).json.name,
      status: "FAILED",
      submittedAt: iso(failedAt - 300),
      queuedAt: iso(failedAt - 300),
      startedAt: iso(failedAt - 300),
      endedAt: iso(failedAt),
      executionTime: 300,
      workerId: worker.id,
      attempt: 1,
      tags: ["a", "b"],
      error: `${HOSTILE}\nline two`,
      inputStart: "{}",
      inputBytes: expect.any(Number),
      outputBytes: 0,
      hasInput: true,
    });
    expect(jobs[2]).toMatchObject({
      status: "COMPLETED",
      endpoint: "two words",
      outputBytes: 3,
      hasInput: false,
    });
    expect(jobs[1]).toMatchObject({ status: "IN_PROGRESS", executionTime: 1_500, attempt: 1 });
    expect(jobs[0]).toMatchObject({ status: "IN_QUEUE", attempt: 0 });
    expect(jobs[0].executionTime).toBeUndefined();
  });

  test("each filter finds its jobs, of the queues and of the history", async () => {
    const second = await anotherWorker();
    const start = clock.now();
    const quick = await ended({ error: "CUDA out of memory" }, 200, { policy: { tags: ["night", "%"] } });
    const slow = await ended({ error: "50% done" }, 12_000, {}, second);
    const fine = await ended({ output: 1 }, 100);
    const middle = clock.now();
    await clock.advance(2 * SECOND);
    const running = await server.run(endpoint, {}, { policy: { tags: ["night"] } });
    await worker.takeBatch(1);
    await clock.advance(2 * SECOND);
    const waiting = await server.run(other);

    const rows: readonly (readonly [query: string, found: readonly string[]])[] = [
      ["state=FAILED", [slow, quick]],
      ["state=IN_QUEUE,COMPLETED", [waiting, fine]],
      ["state=IN_PROGRESS&state=COMPLETED", [running, fine]],
      [`endpoint=${endpoint}`, [running, fine, quick]],
      ["endpoint=two%20words", [waiting, slow]],
      [`worker=${worker.id}`, [running, fine, quick]],
      ["worker=nobody", []],
      ["version=1", []],
      ["error=cuda%20OUT", [quick]],
      ["error=%25", [slow]],
      ["error=_UDA", []],
      [`id=${quick.slice(0, 30)}`, [quick]],
      [`id=${waiting}`, [waiting]],
      ["tag=night", [running, quick]],
      ["tag=%25", [quick]],
      ["tag=nigh", []],
      ["minDuration=10s", [slow]],
      ["minDuration=12000", [slow]],
      ["minDuration=2s", [running, slow]],
      ["minDuration=13s", []],
      ["minDuration=0m%2011s", [slow]],
      ["minDuration=999999999d", []],
      ["state=CANCELLED", []],
      [`to=${iso(middle)}`, [slow, quick]],
      [`from=${middle}`, [waiting, running, fine]],
      [`from=${iso(start + 200)}&to=${start + 201}`, [quick]],
      ["state=FAILED&tag=night&error=memory", [quick]],
    ];
    for (const [query, found] of rows)
      expect({ query, found: await ids(`?${query}`) }).toEqual({ query, found: [...found] });
  });

  test("minDuration=0 is no condition: jobs that never ran are found", async () => {
    const cancelled = await server.run(endpoint);
    await server.post(`/v2/${endpoint}/cancel/${cancelled}`);
    await clock.advance(2 * SECOND);
    expect(await ids("?minDuration=0")).toEqual([cancelled]);
    expect(await ids("?minDuration=1")).toEqual([]);
  });

  test.each([
    ["state=DONE", "state is invalid; must be some of IN_QUEUE"],
    ["state=", "state is invalid"],
    ["state=FAILED,", "state is invalid"],
    ["endpoint=nope", "endpoint is invalid; there is no endpoint nope"],
    ["endpoint=", "endpoint is invalid"],
    ["from=yesterday", "from is invalid; must be a time like"],
    ["to=2026-13-01T00:00:00Z", "to is invalid"],
    ["worker=a%20b", "worker is invalid"],
    ["version=0", "version is invalid"],
    ["error=", "error is invalid"],
    ["error=%00", "error is invalid"],
    ["id=%25", "id is invalid"],
    ["tag=a%20b", "tag is invalid"],
    ["minDuration=10x", "minDuration is invalid; must be a duration such as"],
    ["minDuration=9999999999d", "minDuration is invalid; must be a duration such as"],
    ["limit=0", "limit is invalid"],
    ["cursor=x", "cursor is invalid; must be a nextCursor of this path"],
  ])("%s is refused: %s", async (query, sentence) => {
    const { code, status, error } = await find(`?${query}`);
    expect([code, status]).toEqual(["INVALID_QUERY", 400]);
    expect(error).toStartWith(sentence);
  });

  test("page by page each job comes once, whatever the size of the page", async () => {
    const second = await anotherWorker();
    const all: string[] = [];
    for (let n = 0; n < 4; n++) {
      all.push(await ended({ error: "no" }), await ended({ output: 1 }, 300, {}, second));
    }
    await clock.advance(2 * SECOND);
    for (let n = 0; n < 3; n++) all.push(await server.run(endpoint), await server.run(other));
    for (const limit of [1, 2, 5, 13, 14, 15]) {
      const found: string[] = [];
      let cursor = "";
      do {
        const { jobs, nextCursor } = await find(`?limit=${limit}${cursor}`);
        expect(jobs.length).toBeLessThanOrEqual(limit);
        found.push(...jobs.map(({ id }: { id: string }) => id));
        cursor = nextCursor === undefined ? "" : `&cursor=${nextCursor}`;
      } while (cursor !== "");
      expect({ limit, found }).toEqual({ limit, found: all.toReversed() });
    }
  });

  test("a key sees the jobs of its endpoints, and other accounts see none", async () => {
    const second = await anotherWorker();
    const own = await ended({ error: "a" });
    const foreign = await ended({ error: "b" }, 300, {}, second);
    await clock.advance(2 * SECOND);
    const bound = await server.key("read", { endpoints: [endpoint] });
    const outside = await server.key("read", { account: await server.account() });
    expect(await ids("", bound)).toEqual([own]);
    expect(await ids("", outside)).toEqual([]);
    expect((await find(`?endpoint=${other}`, bound)).error).toBe(
      `endpoint is invalid; there is no endpoint ${other}.`,
    );
    for (const path of ["", "/input"]) {
      expect((await server.get(`/v1/jobs/${own}${path}`, bound)).status).toBe(200);
      expect((await server.get(`/v1/jobs/${foreign}${path}`, bound)).json.code).toBe("JOB_NOT_FOUND");
      expect((await server.get(`/v1/jobs/${own}${path}`, outside)).json.code).toBe("JOB_NOT_FOUND");
    }
  });

  test("a job is found by its id in a queue, and in the history when its result has expired", async () => {
    const input = { prompt: HOSTILE };
    const failed = await server.run(endpoint, input, { policy: { tags: ["a"] } });
    await worker.takeBatch(1);
    const one = async (path: string) => (await server.get(`/v1/jobs/${path}`)).json;
    expect(await one(failed)).toMatchObject({
      id: failed,
      status: "IN_PROGRESS",
      tags: ["a"],
      hasInput: true,
    });
    expect(await one(`${failed}/input`)).toEqual(input);
    await worker.done(failed, { error: HOSTILE });
    expect(await one(failed)).toMatchObject({ status: "FAILED", error: HOSTILE });
    const completed = await ended({ output: 1 });
    await clock.advance(HOUR);

    expect((await server.get(`/v2/${endpoint}/status/${failed}`)).json.code).toBe("JOB_NOT_FOUND");
    expect(await one(failed)).toMatchObject({
      status: "FAILED",
      error: HOSTILE,
      tags: ["a"],
      hasInput: true,
    });
    expect(await one(`${failed}/input`)).toEqual(input);
    expect(await one(completed)).toMatchObject({ status: "COMPLETED", hasInput: false });
    const { code, status, error } = await one(`${completed}/input`);
    expect([code, status]).toEqual(["INPUT_NOT_KEPT", 404]);
    expect(error).toContain(`Set historyInputs of its endpoint to "all"`);
    expect(await one("nope")).toMatchObject({ code: "JOB_NOT_FOUND", status: 404 });
  });

  test("with --history 0 the answer says that finished jobs are not kept", async () => {
    const forgetful = await TestServer.start({ flags: { history: "0" } });
    const id = await forgetful.run(await forgetful.endpoint());
    const { json } = await forgetful.get("/v1/jobs");
    expect(json.jobs.map((job: { id: string }) => job.id)).toEqual([id]);
    expect(json.historyMs).toBe(0);
    await forgetful.stop();
  });
});

test("a finished job is in the list within seconds of its end, without anyone's help", async () => {
  const server = await TestServer.start();
  const endpoint = await server.endpoint();
  const id = await server.run(endpoint);
  await server.post(`/v2/${endpoint}/cancel/${id}`);
  await until(
    "the job is listed",
    async () => (await server.get("/v1/jobs?state=CANCELLED")).json.jobs.length === 1,
  );
  await server.stop();
});
