import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";

describe("an Idempotency-Key makes one job of repeated submissions", () => {
  const clock = new ManualClock();
  const key = { "idempotency-key": "5f0c0d6e-0b0e-4a53-9d0a-6f0e3f2a7c11" };
  let server: TestServer;
  let endpoint: string;
  beforeEach(async () => {
    server = await TestServer.start({ clock });
    endpoint = await server.endpoint();
  });
  afterEach(() => server.stop());

  const run = (input: unknown, headers: Record<string, string> = key) =>
    server.post(`/v2/${endpoint}/run`, { input }, headers);

  test("the same submission again is the same job, with what has become of it", async () => {
    const first = await run({ n: 1 });
    expect(await run({ n: 1 })).toMatchObject({ status: 200, json: first.json });
    const worker = await server.worker(endpoint);
    expect((await worker.take()).json.id).toBe(first.json.id);
    expect((await run({ n: 1 })).json).toEqual({ id: first.json.id, status: "IN_PROGRESS" });
    await worker.done(first.json.id, { output: 2 });
    expect((await run({ n: 1 })).json).toEqual({ id: first.json.id, status: "COMPLETED" });
    const { json } = await server.get(`/v2/${endpoint}/health`);
    expect(json.jobs).toMatchObject({ completed: 1, inQueue: 0, inProgress: 0 });
  });

  test("submissions at the same time make one job", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => run({ n: 1 })));
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
    expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue).toBe(1);
  });

  test("a runsync attaches to the job that another one has made", async () => {
    const submission = { input: { n: 1 } };
    const first = server.post(`/v2/${endpoint}/runsync`, submission, key);
    const worker = await server.worker(endpoint);
    const { id } = (await worker.take()).json;
    const second = server.post(`/v2/${endpoint}/runsync`, submission, key);
    await worker.done(id, { output: "both" });
    for (const { json } of [await first, await second]) {
      expect(json).toMatchObject({ id, status: "COMPLETED", output: "both" });
    }
  });

  test("another body is refused, and makes no job", async () => {
    await run({ n: 1 });
    const { status, json } = await run({ n: 2 });
    expect([status, json.code]).toEqual([400, "IDEMPOTENCY_MISMATCH"]);
    expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue).toBe(1);
  });

  test("the key answers id and last status when the job is gone, for a day", async () => {
    const { json } = await run({ n: 1 });
    await server.post(`/v2/${endpoint}/cancel/${json.id}`);
    await clock.standStill(3_600_000);
    await clock.advance(1_000);
    expect((await server.get(`/v2/${endpoint}/status/${json.id}`)).status).toBe(404);
    expect((await run({ n: 1 })).json).toEqual({ id: json.id, status: "CANCELLED" });
    const again = await server.post(`/v2/${endpoint}/runsync`, { input: { n: 1 } }, key);
    expect(again.json).toEqual({ id: json.id, status: "CANCELLED" });
    await clock.standStill(86_400_000 - 3_601_000 - 1);
    expect((await run({ n: 1 })).json).toEqual({ id: json.id, status: "CANCELLED" });
    await clock.standStill(1);
    expect((await run({ n: 1 })).json).toMatchObject({ status: "IN_QUEUE" });
  });

  test("a key that is none is refused", async () => {
    for (const wrong of ["", "a b", "k".repeat(256), "schlüssel"]) {
      const { status, json } = await run({ n: 1 }, { "idempotency-key": wrong });
      expect([wrong, status, json.code]).toEqual([wrong, 400, "INVALID_HEADER"]);
    }
    expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue).toBe(0);
  });

  test("without one each submission is a job of its own", async () => {
    const [first, second] = [await run({ n: 1 }, {}), await run({ n: 1 }, {})];
    expect(first.json.id).not.toBe(second.json.id);
  });
});
