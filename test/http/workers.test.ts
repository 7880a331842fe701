import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

describe("the workers of an endpoint that came by themselves", () => {
  const clock = new ManualClock();
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ clock, flags: { "take-hold-ms": "1" } });
  });
  afterAll(() => server.stop());

  const workersOf = async (endpoint: string) =>
    (await server.get(`/v1/endpoints/${endpoint}/workers`)).json.workers;

  test("are listed with their state, their jobs and their last call", async () => {
    const endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    const base = { id: worker.id, managed: false, jobs: [], heartbeats: true };
    expect(await workersOf(endpoint)).toEqual([{ ...base, state: "INITIALIZING" }]);
    await worker.ping([]);
    const calledAt = new Date(clock.now()).toISOString();
    expect(await workersOf(endpoint)).toEqual([{ ...base, state: "IDLE", lastContact: calledAt }]);
    const job = await server.run(endpoint);
    await worker.take();
    expect(await workersOf(endpoint)).toMatchObject([{ state: "RUNNING", jobs: [job] }]);
    await worker.done(job, { output: 1 });
    await clock.advance(10_000);
    expect(await workersOf(endpoint)).toMatchObject([{ state: "UNHEALTHY", jobs: [] }]);
  });

  test("that share a token are each listed while they live, and end together by the token's id", async () => {
    const endpoint = await server.endpoint();
    const [one, other] = await server.workers(endpoint, 2);
    await one?.ping([]);
    await other?.ping([]);
    const listed = await workersOf(endpoint);
    expect(listed.map(({ state }: { state: string }) => state)).toEqual(["IDLE", "IDLE"]);
    const [first] = listed;
    const path = `/v1/endpoints/${endpoint}/workers`;
    const alone = await server.call("DELETE", `${path}/${first.id}`);
    expect([alone.status, alone.json.code]).toEqual([400, "WORKER_NOT_MANAGED"]);
    expect((await server.call("DELETE", `${path}/${first.id.split("-")[0]}`)).status).toBe(204);
    expect(await workersOf(endpoint)).toEqual([]);
    expect((await one?.ping([]))?.status).toBe(401);
    expect((await other?.ping([]))?.status).toBe(401);
  });

  test("that share a token say that they send heartbeats from their first ping on", async () => {
    const endpoint = await server.endpoint();
    const [one, other] = await server.workers(endpoint, 2);
    const waiting = [one?.take(), other?.take()];
    const heartbeats = async () =>
      (await workersOf(endpoint)).map((worker: { heartbeats: boolean }) => worker.heartbeats);
    await until("both wait for a job", async () => (await heartbeats()).length === 2);
    expect(await heartbeats()).toEqual([false, false]);
    await other?.ping([]);
    expect(await heartbeats()).toEqual([false, true]);
    await clock.advance(5_000);
    await Promise.all(waiting);
    expect(await heartbeats()).toEqual([false, true]);
    const { json } = await server.get("/v1/endpoints?includeWorkers=true");
    const listed = json.find(({ id }: { id: string }) => id === endpoint);
    expect(listed.workers.map((worker: { heartbeats: boolean }) => worker.heartbeats)).toEqual([false, true]);
  });

  test("one that is deleted is refused, and its job goes out again without a loss", async () => {
    const endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    const job = await server.run(endpoint);
    await worker.take();
    await worker.ping([job]);
    const path = `/v1/endpoints/${endpoint}/workers/${worker.id}`;
    expect((await server.call("DELETE", path)).status).toBe(204);
    expect((await worker.ping([job])).status).toBe(401);
    const record = await server.status(endpoint, job);
    expect([record.status, record.retries]).toEqual(["IN_QUEUE", undefined]);
    expect(await workersOf(endpoint)).toEqual([]);
    expect((await server.call("DELETE", path)).json.code).toBe("WORKER_NOT_FOUND");
  });

  test("cannot be replaced, and the refusal says what to do; unknown workers are not found", async () => {
    const endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    const path = `/v1/endpoints/${endpoint}/workers`;
    const refused = await server.post(`${path}/${worker.id}/replace`);
    expect([refused.status, refused.json.code]).toEqual([400, "WORKER_NOT_MANAGED"]);
    expect((await server.post(`${path}/none/replace`)).json.code).toBe("WORKER_NOT_FOUND");
    const other = await server.endpoint();
    const foreign = await server.call("DELETE", `/v1/endpoints/${other}/workers/${worker.id}`);
    expect([foreign.status, foreign.json.code]).toEqual([404, "WORKER_NOT_FOUND"]);
  });
});
