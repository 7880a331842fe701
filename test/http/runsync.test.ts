import { describe, expect, test } from "bun:test";
import { freshWorker } from "../support/fresh-server.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { END_KEYS } from "../../src/engine/wait-keys.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import type { TestWorker } from "../support/test-worker.ts";

describe("runsync answers when the job has ended, or when its wait is over", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ server, endpoint, worker } = fresh));

  const runsync = ({
    headers,
    ...init
  }: { headers?: Record<string, string>; body?: string; signal?: AbortSignal } = {}) =>
    fetch(`${server.url}/v2/${endpoint}/runsync`, {
      method: "POST",
      headers: { authorization: TEST_KEY, "content-type": "application/json", ...headers },
      body: '{"input":{}}',
      ...init,
    });

  const ends: [record: Record<string, unknown>, end: (id: string) => Promise<unknown>][] = [
    [{ status: "COMPLETED", output: 1 }, (id) => worker.done(id, { output: 1 })],
    [{ status: "FAILED", error: "no such model" }, (id) => worker.done(id, { error: "no such model" })],
    [{ status: "CANCELLED" }, (id) => server.post(`/v2/${endpoint}/cancel/${id}`)],
    [
      { status: "TIMED_OUT", error: "ttl exceeded" },
      (id) => server.get(`/v2/${endpoint}/status/${id}?ttl=1`),
    ],
  ];
  test.each(ends)("design row 3: every terminal state is 200 with the record: %j", async (record, end) => {
    const answer = server.post(`/v2/${endpoint}/runsync`, { input: {} });
    const { id } = (await worker.take()).json;
    await end(id);
    expect(await answer).toMatchObject({ status: 200, json: { id, ...record } });
  });

  test("when the wait ends first: 200 with the state so far, and the job goes on", async () => {
    const { status, json } = await server.post(`/v2/${endpoint}/runsync?wait=1000`, { input: {} });
    expect([status, json.status]).toEqual([200, "IN_QUEUE"]);
    await worker.take();
    await worker.done(json.id, { output: 1 });
    expect(await server.status(endpoint, json.id)).toMatchObject({ status: "COMPLETED", output: 1 });
  });

  test("when the wait ends first, a job that was handed out meanwhile is in progress", async () => {
    const answer = server.post(`/v2/${endpoint}/runsync?wait=1000`, { input: {} });
    const { json: job } = await worker.take();
    const record = { id: job.id, status: "IN_PROGRESS", workerId: worker.id };
    expect((await answer).json).toMatchObject(record);
    expect((await server.get(`/v2/${endpoint}/status-sync/${job.id}?wait=1000`)).json).toMatchObject(record);
  });

  test("P11: a client that goes away leaves the job as it is", async () => {
    const gone = new AbortController();
    const answer = fetch(`${server.url}/v2/${endpoint}/runsync`, {
      method: "POST",
      headers: { authorization: "Bearer test-key-0123456789", "content-type": "application/json" },
      body: '{"input":{}}',
      signal: gone.signal,
    });
    const { json: job } = await worker.take();
    gone.abort();
    await expect(answer.then((response) => response.text())).rejects.toThrow();
    await worker.done(job.id, { output: 1 });
    expect(await server.status(endpoint, job.id)).toMatchObject({ status: "COMPLETED" });
  });

  test("design row 10: a purge answers the waiting call at once", async () => {
    const answer = server.post(`/v2/${endpoint}/runsync`, { input: {} });
    await waitUntilQueued(server, endpoint, 1);
    const purged = await server.post(`/v2/${endpoint}/purge-queue`);
    expect(purged.json).toEqual({ removed: 1, status: "completed" });
    const { status, json } = await answer;
    expect(status).toBe(200);
    expect(json).toEqual({ id: json.id, status: "CANCELLED", error: "removed by purge-queue" });
    expect((await server.get(`/v2/${endpoint}/status/${json.id}`)).status).toBe(404);
  });

  test("design row 22: the id leaves once the job is stored, and picks up a call that broke", async () => {
    const gone = new AbortController();
    const answer = await runsync({ signal: gone.signal });
    const id = answer.headers.get("x-job-id") ?? "";
    expect([answer.status, await server.status(endpoint, id)]).toEqual([200, { id, status: "IN_QUEUE" }]);
    gone.abort();
    await expect(answer.text()).rejects.toThrow();
    await worker.take();
    const picked = server.get(`/v2/${endpoint}/status-sync/${id}`);
    await worker.done(id, { output: 1 });
    expect((await picked).json).toMatchObject({ id, status: "COMPLETED", output: 1 });
  });

  test("design row 22: a call that is repeated with its Idempotency-Key waits for the same job", async () => {
    const gone = new AbortController();
    const headers = { "idempotency-key": "again" };
    const first = await runsync({ signal: gone.signal, headers });
    gone.abort();
    const again = await runsync({ headers });
    const id = again.headers.get("x-job-id") ?? "";
    expect(id).toBe(first.headers.get("x-job-id") ?? "");
    await worker.take();
    await worker.done(id, { output: 1 });
    expect(await again.json()).toMatchObject({ id, status: "COMPLETED", output: 1 });
    expect(await (await runsync({ headers })).json()).toMatchObject({ id, status: "COMPLETED" });
  });

  test("a call that is refused has its status and no id", async () => {
    const refused = await runsync({ body: "{}" });
    expect([refused.status, refused.headers.get("x-job-id")]).toEqual([400, null]);
  });

  test("calls whose caller has gone leave nothing that waits", async () => {
    for (let n = 0; n < 10; n++) {
      const gone = new AbortController();
      await runsync({ signal: gone.signal });
      gone.abort();
    }
    await until("nothing waits", () => server.forebay.engine.waits.keys(END_KEYS).length === 0);
  });

  test.each(["", "999", "300001", "1e4", "0x10", " 12 ", "5000abc", "5000&wait=1"])(
    "4.A runsync wait: %p is refused, and no job is made (reliability 5.11)",
    async (wait) => {
      const { status, json } = await server.post(`/v2/${endpoint}/runsync?wait=${wait}`, { input: {} });
      expect([status, json.code]).toEqual([400, "INVALID_QUERY"]);
      expect(json.error).toContain("wait");
      expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue).toBe(0);
    },
  );

  test("a stopping server answers the waiting call with the state so far", async () => {
    const stopping = await TestServer.start();
    const id = await stopping.endpoint();
    const answer = stopping.post(`/v2/${id}/runsync`, { input: {} });
    await waitUntilQueued(stopping, id, 1);
    const stopped = stopping.stop();
    expect((await answer).json.status).toBe("IN_QUEUE");
    await stopped;
  });
});

async function waitUntilQueued(server: TestServer, endpoint: string, count: number): Promise<void> {
  await until(
    `${count} jobs wait`,
    async () => (await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue === count,
  );
}
