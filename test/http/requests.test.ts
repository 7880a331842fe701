import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";

describe("requests", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  beforeEach(async () => {
    clock = new ManualClock();
    server = await TestServer.start({ clock });
    endpoint = await server.endpoint();
  });
  afterEach(() => server.stop());

  const requests = (query = "", base = "") => server.get(`${base}/v2/${endpoint}/requests${query}`);

  test("4.A sentence 6 requests: waiting and running jobs, the newest first, with their times", async () => {
    const running = await server.run(endpoint);
    await clock.advance(200);
    const worker = await server.worker(endpoint);
    await worker.take();
    const waiting = await server.run(endpoint);
    const cancelled = await server.run(endpoint);
    await server.post(`/v2/${endpoint}/cancel/${cancelled}`);
    await clock.advance(1_000);
    const rows = {
      requests: [
        { id: waiting, status: "IN_QUEUE", delayTime: 1_000 },
        { id: running, status: "IN_PROGRESS", delayTime: 200, executionTime: 1_000, workerId: worker.id },
      ],
    };
    expect((await requests()).json).toEqual(rows);
    expect((await requests("", "/sdk")).json).toEqual(rows);
    expect((await requests("?status=IN_PROGRESS")).json.requests).toEqual([rows.requests[1]]);
    expect((await requests("?status=IN_QUEUE")).json.requests).toEqual([rows.requests[0]]);
  });

  test("an endpoint without jobs has an empty list", async () => {
    expect((await requests()).json).toEqual({ requests: [] });
  });

  test("pages follow each other without a gap or a job twice, while new jobs come", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift(await server.run(endpoint));
    const seen: string[] = [];
    let cursor = "";
    do {
      const { json } = await requests(`?limit=2${cursor}`);
      seen.push(...json.requests.map(({ id }: { id: string }) => id));
      await server.run(endpoint);
      cursor = json.nextCursor === undefined ? "" : `&cursor=${json.nextCursor}`;
    } while (cursor !== "");
    expect(seen).toEqual(ids);
  });

  test.each([
    "?limit=0",
    "?limit=1001",
    "?status=COMPLETED",
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
