import { describe, expect, test } from "bun:test";
import { jobIds } from "../../src/engine/job-ids.ts";
import { stepsOf } from "../model/steps.ts";
import { freshServer } from "../support/fresh-server.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import type { TestServer } from "../support/test-server.ts";

describe("requests", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  freshServer((fresh) => ({ clock, server, endpoint } = fresh), { isStill: true });

  const requests = (query = "", base = "") => server.get(`${base}/v2/${endpoint}/requests${query}`);

  const listed = async (query = ""): Promise<string[]> =>
    (await requests(query)).json.requests.map(({ id }: { id: string }) => id);

  test("4.A sentence 6 requests: all six states, the newest first, without payloads", async () => {
    const worker = await server.worker(endpoint);
    const policy = { executionTimeout: 5_001 };
    const [completed, failed, timedOut, running, cancelled] = [
      await server.run(endpoint),
      await server.run(endpoint),
      await server.run(endpoint, {}, { policy }),
      await server.run(endpoint),
      await server.run(endpoint),
    ];
    await clock.advance(200);
    await worker.takeBatch(4);
    await clock.advance(300);
    await worker.done(completed, { output: "large" });
    await worker.done(failed, { error: "no" });
    await server.post(`/v2/${endpoint}/cancel/${cancelled}`);
    await worker.ping([running, timedOut]);
    await clock.advance(5_700);
    const waiting = await server.run(endpoint);
    const { executionTime } = await server.status(endpoint, timedOut);
    const taken = { delayTime: 200, workerId: worker.id };
    const rows = [
      { id: waiting, status: "IN_QUEUE", delayTime: 0 },
      { id: cancelled, status: "CANCELLED" },
      { id: running, status: "IN_PROGRESS", ...taken, executionTime: 6_000 },
      { id: timedOut, status: "TIMED_OUT", ...taken, executionTime },
      { id: failed, status: "FAILED", ...taken, executionTime: 300 },
      { id: completed, status: "COMPLETED", ...taken, executionTime: 300 },
    ];
    expect((await requests()).json).toEqual({ requests: rows });
    expect((await requests("", "/sdk")).json).toEqual({ requests: rows });
    for (const row of rows) {
      expect((await requests(`?status=${row.status}`)).json).toEqual({ requests: [row] });
    }
  });

  test("a job is in the list as long as its record is there; a retry keeps its place", async () => {
    const worker = await server.worker(endpoint);
    const retried = await server.run(endpoint);
    const newer = await server.run(endpoint);
    await worker.takeBatch(2);
    await worker.done(retried, { error: "no" });
    await worker.done(newer, { output: 1 });
    await clock.advance(1_000);
    await server.post(`/v2/${endpoint}/retry/${retried}`);
    const newest = await server.run(endpoint);
    expect(await listed()).toEqual([newest, newer, retried]);
    expect(await listed("?status=IN_QUEUE")).toEqual([newest, retried]);
    await server.get(`/v2/${endpoint}/status/${newer}?ttl=1`);
    await clock.advance(1_000);
    expect(await listed()).toEqual([newest, retried]);
    await server.post(`/v2/${endpoint}/purge-queue`);
    expect(await listed()).toEqual([]);
  });

  test("a page looks at a limited number of jobs: what is behind them is found on the next one", async () => {
    const { store } = server.forebay.engine;
    const failed = await server.run(endpoint);
    const worker = await server.worker(endpoint);
    await worker.take();
    await worker.done(failed, { error: "no" });
    const { enqueue } = stepsOf(endpoint);
    const ids = jobIds((bytes) => crypto.getRandomValues(bytes));
    for (let round = 0; round < 51; round++) {
      const positions = Array.from({ length: 1_000 }, () => ids.nextPosition(clock.now() + 1));
      await store.apply(
        positions.map((position) => enqueue(ids.idAt(position, "run"), position)),
        clock.now(),
      );
    }
    const first = (await requests("?status=FAILED")).json;
    expect(first).toEqual({ requests: [], nextCursor: expect.any(String) });
    const second = (await requests(`?status=FAILED&cursor=${first.nextCursor}`)).json;
    expect(second.requests).toEqual([expect.objectContaining({ id: failed, status: "FAILED" })]);
    expect(second).not.toHaveProperty("nextCursor");
  });

  test("an endpoint without jobs has an empty list", async () => {
    expect((await requests()).json).toEqual({ requests: [] });
  });

  test.each(["", "&status=IN_QUEUE"])(
    "pages follow without a gap or a job twice, while new jobs come: %p",
    async (filter) => {
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) ids.unshift(await server.run(endpoint));
      const seen: string[] = [];
      let cursor = "";
      do {
        const { json } = await requests(`?limit=2${filter}${cursor}`);
        seen.push(...json.requests.map(({ id }: { id: string }) => id));
        await server.run(endpoint);
        cursor = json.nextCursor === undefined ? "" : `&cursor=${json.nextCursor}`;
      } while (cursor !== "");
      expect(seen).toEqual(ids);
    },
  );

  test.each([
    "?limit=0",
    "?limit=1001",
    "?status=DONE",
    "?status=",
    "?status=IN_QUEUE&cursor=-1",
    "?status=IN_QUEUE&cursor=01968000-0000-7000-8000-000000000000-u1",
    "?status=FAILED&cursor=1a",
    "?cursor=",
    "?cursor=-1",
    "?cursor=zzzzzzzzzzz",
  ])("%s is refused", async (query) => {
    const { status, json } = await requests(query);
    expect([status, json.code]).toEqual([400, "INVALID_QUERY"]);
  });

  test("needs the key and the endpoint", async () => {
    expect((await server.call("GET", "/v2/none/requests")).json.code).toBe("ENDPOINT_NOT_FOUND");
    expect((await fetch(`${server.url}/v2/${endpoint}/requests`)).status).toBe(401);
  });
});
