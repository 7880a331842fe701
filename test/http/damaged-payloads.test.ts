import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { changeInDirectory, flip, type Place, REMOVED } from "../support/damage.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";

const DAMAGED_INPUT = "the stored input of this job is damaged and cannot be read; submit the job again";
const LARGE = { text: "x".repeat(100_000) };

/** How the jobs of a response can lie in the store. */
const INPUTS = [
  ["in the row of its job", { a: 1 }],
  ["in a row of its own", { text: "x".repeat(5_000) }],
  ["in a file", LARGE],
] as const;

const startOn = (data: string): Promise<TestServer> =>
  TestServer.start({
    flags: { data, "take-hold-ms": "300", "webhook-pause-ms": "1000", ...LOOPBACK_ALLOWED },
  });

describe("a damaged payload costs its own job at most", () => {
  let directory: TemporaryDirectory;
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    server = await startOn(directory.path);
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
  });
  afterEach(async () => {
    await server.forebay.stop();
    await directory[Symbol.asyncDispose]();
  });

  /** The server knows the rows of waiting jobs since they were written: another one reads them. */
  async function restart(): Promise<void> {
    await server.forebay.stop();
    server = await startOn(directory.path);
    worker = await server.worker(endpoint);
  }

  const damage = (job: string, of: Place["of"], change = flip(-3)) =>
    changeInDirectory(directory.path, { endpoint, job, of }, change);

  const logged = () => JSON.stringify(server.log.errors);

  for (const [where, input] of INPUTS) {
    test(`a batch carries the others when an input ${where} is damaged; that job fails`, async () => {
      const ids = [];
      for (let n = 0; n < 5; n++) ids.push(await server.run(endpoint, input));
      const [first, second, third] = ids as [string, string, string];
      await damage(third, "body");
      await restart();

      const batch = await worker.takeBatch(9);

      expect(batch.status).toBe(200);
      expect(batch.json.map(({ id }: { id: string }) => id)).toEqual(ids.filter((id) => id !== third));
      expect(await server.status(endpoint, third)).toMatchObject({ status: "FAILED", error: DAMAGED_INPUT });
      expect(await server.status(endpoint, first)).toMatchObject({ status: "IN_PROGRESS" });
      expect(logged()).toContain(third);
      await worker.done(second, { output: 1 });
      expect(await server.status(endpoint, second)).toMatchObject({ status: "COMPLETED", output: 1 });
    });
  }

  test("an exchange carries the others when an input is gone, and keeps the results it brought", async () => {
    const before = await server.run(endpoint);
    await worker.take();
    const [gone, whole] = [await server.run(endpoint, LARGE), await server.run(endpoint, LARGE)];
    await damage(gone, "body", REMOVED);

    const { status, json } = await worker.exchange({
      results: [{ id: before, attempt: 1, output: 7 }],
      take: 5,
    });

    expect(status).toBe(200);
    expect(json.jobs.map(({ job }: { job: { id: string } }) => job.id)).toEqual([whole]);
    expect(await server.status(endpoint, before)).toMatchObject({ status: "COMPLETED", output: 7 });
    expect(await server.status(endpoint, gone)).toMatchObject({ status: "FAILED", error: DAMAGED_INPUT });
  });

  test("a worker that waits gets the next job when the first one was damaged", async () => {
    const first = await server.run(endpoint, LARGE);
    await damage(first, "body");
    expect((await worker.take()).status).toBe(204);
    const second = await server.run(endpoint, LARGE);

    expect((await worker.take()).json.id).toBe(second);
    expect(await server.status(endpoint, first)).toMatchObject({ status: "FAILED", error: DAMAGED_INPUT });
  });

  test("a job whose s3Config cannot be decrypted fails alone, and the log says why", async () => {
    const s3Config = { accessId: "a", accessSecret: "s", bucketName: "b", endpointUrl: "u" };
    const sealed = await server.run(endpoint, {}, { s3Config });
    const other = await server.run(endpoint, {}, { s3Config });
    // Its digest is right, so it was written like this: by a key that is not here.
    await damage(sealed, "secret", (stored) => stored.slice(8).toReversed());
    await restart();

    const batch = await worker.takeBatch(9);

    expect(batch.json.map(({ id }: { id: string }) => id)).toEqual([other]);
    expect(await server.status(endpoint, sealed)).toMatchObject({ status: "FAILED", error: DAMAGED_INPUT });
    expect(logged()).toContain("cannot be decrypted");
  });

  test("while the payload directory is missing jobs go back uncounted, and run when it is back", async () => {
    const ids = [await server.run(endpoint, LARGE), await server.run(endpoint, LARGE)];
    const payloads = join(directory.path, "payloads");
    await rename(payloads, `${payloads}-away`);

    const refused = await worker.takeBatch(9);

    expect([refused.status, refused.json.code]).toEqual([503, "STORAGE_UNAVAILABLE"]);
    for (const id of ids) expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_QUEUE" });
    await rename(`${payloads}-away`, payloads);
    const other = await server.worker(endpoint);
    const batch = await other.takeBatch(9);
    expect(batch.json.map(({ id }: { id: string }) => id)).toEqual(ids);
    for (const id of ids) {
      const { json } = await server.get(`/v1/endpoints/${endpoint}/jobs/${id}`);
      expect(json.attempts[0]).toMatchObject({
        outcome: "RETURNED",
        error: "the server could not read the stored input right now",
      });
      expect(json.retries).toBe(0);
    }
  });

  test("the status of a job with a damaged output says so, and that of others is as it was", async () => {
    const [damaged, whole] = [await server.run(endpoint), await server.run(endpoint)];
    await worker.takeBatch(2);
    for (const id of [damaged, whole]) await worker.done(id, { output: LARGE });
    await damage(damaged, "output");

    const { status, json } = await server.get(`/v2/${endpoint}/status/${damaged}`);

    expect([status, json.code]).toEqual([500, "PAYLOAD_DAMAGED"]);
    expect(json.error).toContain("is damaged");
    expect(await server.status(endpoint, whole)).toMatchObject({ status: "COMPLETED", output: LARGE });
    expect((await server.get(`/v2/${endpoint}/requests`)).json.requests).toHaveLength(2);
    const timeline = await server.get(`/v1/endpoints/${endpoint}/jobs/${damaged}`);
    expect([timeline.status, timeline.json.status]).toEqual([200, "COMPLETED"]);
    const [file] = await readdir(join(directory.path, "payloads")).then((names) =>
      names.filter((name) => logged().includes(name)),
    );
    expect(file).toBeDefined();
  });

  test("a damaged error or progress is left out or named, and the record is answered", async () => {
    const [failed, running] = [await server.run(endpoint), await server.run(endpoint)];
    await worker.takeBatch(2);
    await worker.done(failed, { error: "e".repeat(5_000) });
    await worker.exchange({
      alive: [running],
      progress: [{ id: running, attempt: 1, value: "p".repeat(5_000) }],
    });
    await damage(failed, "error");
    await damage(running, "progress");

    expect(await server.status(endpoint, failed)).toMatchObject({
      status: "FAILED",
      error: "the stored error of this job is damaged and cannot be read",
    });
    const { json } = await server.get(`/sdk/v2/${endpoint}/status/${running}`);
    expect(json).toMatchObject({ status: "IN_PROGRESS" });
    expect(json).not.toHaveProperty("output");
    expect((await server.post(`/v2/${endpoint}/retry/${failed}`)).status).toBe(200);
  });

  test("a read of a stream returns the chunks next to a damaged one", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    for (const output of ["a", "b".repeat(70_000), "c"]) await worker.stream(id, { output });
    await worker.done(id, { output: [] });
    await damage(id, 1);
    const expected = [
      { output: "a" },
      { error: "chunk 1 of this job is damaged and cannot be read" },
      { output: "c" },
    ];

    const live = await server.get(`/v2/${endpoint}/stream/${id}`, { accept: "text/event-stream" });
    expect(live.text).toContain(`data: ${JSON.stringify(expected[1])}\n`);
    expect(live.text).toContain("event: end");
    expect((await server.get(`/v2/${endpoint}/stream/${id}`)).json).toEqual(expected);
  });

  test("a read of a stream that fails for a moment loses no chunk", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    const chunks = [{ output: "a" }, { output: "b".repeat(70_000) }, { output: "c" }];
    for (const chunk of chunks) await worker.stream(id, chunk);
    await server.get(`/v2/${endpoint}/stream/${id}?from=0`);
    const payloads = join(directory.path, "payloads");
    await rename(payloads, `${payloads}-away`);

    const refused = await server.get(`/v2/${endpoint}/stream/${id}`);

    expect([refused.status, refused.json.code]).toEqual([503, "STORAGE_UNAVAILABLE"]);
    await rename(`${payloads}-away`, payloads);
    expect((await server.get(`/v2/${endpoint}/stream/${id}`)).json).toEqual(chunks);
  });

  test("a webhook with a damaged output fails at once, and those behind it are delivered", async () => {
    let isUp = false;
    await using receiver = await WebhookReceiver.start((response) =>
      response.writeHead(isUp ? 200 : 503).end(),
    );
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push(await server.run(endpoint, {}, { webhook: receiver.url() }));
    await worker.takeBatch(3);
    for (const id of ids) await worker.done(id, { output: { text: "x".repeat(5_000) } });
    await receiver.called(3);
    await damage(ids[1] ?? "", "delivery");
    isUp = true;

    const states = async () => {
      const { json } = await server.get(`/v1/endpoints/${endpoint}/webhooks`);
      return json.webhooks.map(({ status }: { status: string }) => status).toSorted();
    };
    await until(
      "all webhooks have ended",
      async () => (await states()).join() === "DELIVERED,DELIVERED,FAILED",
    );
    const { json } = await server.get(`/v1/endpoints/${endpoint}/webhooks?status=FAILED`);
    expect(json.webhooks).toMatchObject([{ job: ids[1], error: expect.stringContaining("is damaged") }]);
    // The call that was made before the damage, and none since.
    expect(receiver.calls.filter(({ body }) => JSON.parse(body).id === ids[1])).toHaveLength(1);
  });

  test("a file that cannot be opened, in a directory that can, is damage", async () => {
    const id = await server.run(endpoint, LARGE);
    const payloads = join(directory.path, "payloads");
    const [name = ""] = await readdir(payloads);
    await rename(join(payloads, name), join(directory.path, "moved"));
    await mkdir(join(payloads, name));
    await chmod(join(payloads, name), 0o700);

    expect((await worker.take()).status).toBe(204);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "FAILED", error: DAMAGED_INPUT });
  });
});
