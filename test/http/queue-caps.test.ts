import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";

describe("caps of a queue refuse what is over them, and nothing else", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start();
  });
  afterEach(() => server.stop());

  const queued = async (endpoint: string) => (await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue;

  test("T6: of 200 submissions at a time exactly maxQueuedJobs are taken; others make nothing", async () => {
    const endpoint = await server.endpoint({ maxQueuedJobs: 37 });

    const answers = await Promise.all(
      Array.from({ length: 200 }, () => server.post(`/v2/${endpoint}/run`, { input: {} })),
    );

    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(163);
    for (const { status, json, headers } of refused) {
      expect([status, json.code, headers.get("retry-after")]).toEqual([429, "QUEUE_FULL", "5"]);
      expect(json.error).toContain("37 jobs (maxQueuedJobs)");
    }
    expect(await queued(endpoint)).toBe(37);
    const taken = answers.filter(({ status }) => status === 200).map(({ json }) => json.id);
    const { requests } = (await server.get(`/v2/${endpoint}/requests`)).json;
    expect(requests.map(({ id }: { id: string }) => id).toSorted()).toEqual(taken.toSorted());
  });

  test("T6: maxQueuedBytes counts what was submitted, and no file of a refused body stays", async () => {
    await using directory = await temporaryDirectory();
    await server.stop();
    server = await TestServer.start({ flags: { data: directory.path } });
    const endpoint = await server.endpoint({ maxQueuedBytes: 1_000_000 });
    const submission = { input: { text: "x".repeat(300_000) } };

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => server.post(`/v2/${endpoint}/run`, submission)),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.find(({ status }) => status !== 200)?.json).toMatchObject({
      code: "QUEUE_FULL",
      error: expect.stringContaining("1000000 bytes (maxQueuedBytes)"),
    });
    expect((await server.post(`/v2/${endpoint}/run`, { input: {} })).status).toBe(200);
    expect(await queued(endpoint)).toBe(4);
    await server.stop();
    expect(await readdir(join(directory.path, "payloads"))).toHaveLength(3);
    server = await TestServer.start();
  });

  test("a runsync is refused as a run is, and taken when a worker has made room", async () => {
    const endpoint = await server.endpoint({ maxQueuedJobs: 1 });
    const worker = await server.worker(endpoint);
    await server.run(endpoint);
    const runsync = () => server.post(`/v2/${endpoint}/runsync?wait=1000`, { input: {} });
    expect((await runsync()).json.code).toBe("QUEUE_FULL");
    await worker.take();

    expect((await runsync()).json.status).toBe("IN_QUEUE");
    expect(await queued(endpoint)).toBe(1);
  });

  test("a retry into a full queue is refused and leaves its job as it was", async () => {
    const endpoint = await server.endpoint({ maxQueuedJobs: 1 });
    const worker = await server.worker(endpoint);
    const job = await server.run(endpoint);
    await worker.take();
    await worker.done(job, { error: "boom" });
    const other = await server.run(endpoint);

    const refused = await server.post(`/v2/${endpoint}/retry/${job}`);
    expect([refused.status, refused.json.code]).toEqual([429, "QUEUE_FULL"]);
    expect(await server.status(endpoint, job)).toMatchObject({ status: "FAILED", error: "boom" });

    await server.post(`/v2/${endpoint}/cancel/${other}`);
    expect((await server.post(`/v2/${endpoint}/retry/${job}`)).json.status).toBe("IN_QUEUE");
  });

  test("a submission sent again is answered, even if the queue is full by now", async () => {
    const endpoint = await server.endpoint({ maxQueuedJobs: 1 });
    const submit = () => server.post(`/v2/${endpoint}/run`, { input: {} }, { "idempotency-key": "once" });
    const { json } = await submit();
    expect((await submit()).json).toEqual(json);
    expect((await server.post(`/v2/${endpoint}/run`, { input: {} })).json.code).toBe("QUEUE_FULL");
  });

  test("an endpoint has no caps by default; caps are kept and shown", async () => {
    const open = await server.endpoint();
    const made = (await server.get(`/v1/endpoints/${open}`)).json;
    expect(made).not.toHaveProperty("maxQueuedJobs");
    const endpoint = await server.endpoint({ maxQueuedJobs: 5, maxQueuedBytes: 10 });
    expect((await server.get(`/v1/endpoints/${endpoint}`)).json).toMatchObject({
      maxQueuedJobs: 5,
      maxQueuedBytes: 10,
    });
  });

  test.each([
    { maxQueuedJobs: 0 },
    { maxQueuedJobs: 1.5 },
    { maxQueuedBytes: -1 },
    { maxQueuedBytes: "1 MB" },
  ])("%j is refused", async (fields) => {
    const { status, json } = await server.post("/v1/endpoints", { name: "chat", ...fields });
    expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
    expect(json.error).toStartWith(Object.keys(fields)[0] ?? "");
  });
});
