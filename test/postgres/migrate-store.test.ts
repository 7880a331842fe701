import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";
import { deleteWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freePort } from "../support/free-port.ts";
import { managedWorker } from "../support/managed-worker.ts";
import type { LentDatabase } from "../support/postgres-server.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

const SECRET_KEY = "the key of both";
const KEYED = { "idempotency-key": "once" };
const S3 = { accessId: "a", accessSecret: "s3cr3t", bucketName: "b", endpointUrl: "https://s3" };
/** Above what a row of SQLite holds, and above what lies in the database. */
const MIDDLE = "m".repeat(3_000);
const LARGE = "é".repeat(400_000);

const GPUS = [{ uuid: "GPU-a", name: "NVIDIA L40S" }];

describe("forebay migrate-store", () => {
  const postgres = suiteDatabases();
  let root: TemporaryDirectory;
  let data: string;
  let port: string;
  let database: LentDatabase;
  let server: TestServer | undefined;

  beforeEach(async () => {
    root = await temporaryDirectory();
    data = join(root.path, "data");
    port = String(await freePort());
    database = await postgres().lendDatabase();
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    await database.giveBack();
    await root[Symbol.asyncDispose]();
  });

  async function serve(flags: Record<string, string> = {}): Promise<TestServer> {
    server = await TestServer.start({ flags: { data, port, "secret-key": SECRET_KEY, ...flags } });
    return server;
  }

  async function stop(): Promise<void> {
    await server?.stop();
    server = undefined;
  }

  function move(...more: string[]) {
    const words = ["migrate-store", "--from", data, "--to", database.url];
    return new ForebayCommand([...words, "--secret-key", SECRET_KEY, ...more]).ended();
  }

  test("jobs in every state go on in PostgreSQL: same records, same workers, nothing lost", async () => {
    const first = await serve();
    const endpoint = await first.endpoint({ maxQueuedJobs: 100 });
    const empty = await first.endpoint();
    const worker = await first.worker(endpoint);
    const jobs = await fill(first, endpoint, worker);
    const before = await look(first, endpoint, jobs);
    const health = (await first.get(`/v2/${endpoint}/health`)).json.jobs;
    const told = await first.run(empty, {}, { webhook: "https://a.invalid/hook" });
    await first.post(`/v2/${empty}/cancel/${told}`);
    const managed = await managedWorker(first, empty, { host: "docker", gpus: GPUS });
    const ran = await first.run(empty);
    await managed.take();
    await managed.done(ran, { output: 1 });
    await deleteWorkerToken(first.forebay.engine, managed.id);
    const attemptsOf = async (at: TestServer) =>
      (await at.get(`/v1/endpoints/${empty}/jobs/${ran}`)).json.attempts;
    const attempts = await attemptsOf(first);
    expect(attempts).toMatchObject([{ host: "docker", gpus: GPUS }]);
    const { secret } = (await first.get(`/v1/endpoints/${empty}/webhook-secret`)).json;
    const statistics = `/v1/endpoints/${endpoint}/statistics?period=30d`;
    const { total } = (await first.get(statistics)).json;
    const history = await until("six finished jobs are recorded", async () => {
      const records = await historyOf(first, endpoint);
      return records.length === 6 && records;
    });
    expect(history.filter(({ input }) => input !== undefined).map(({ record }) => record.state)).toEqual([
      "TIMED_OUT",
      "FAILED",
    ]);
    await stop();

    const { status, stdout, stderr } = await move();
    expect([status, stderr]).toEqual([0, ""]);
    for (const line of [
      /jobs IN_QUEUE +4 +4\n/,
      /jobs COMPLETED +3 +3\n/,
      /chunks +3 +3\n/,
      /attempts +1 +1\n/,
      /past workers +1 +1\n/,
      /records of finished jobs +6 +6\n/,
    ]) {
      expect(stdout).toMatch(line);
    }
    expect(stdout).toMatch(/idempotency keys +2 +2\n/);
    expect(stdout).toMatch(/ large payloads +3 +3\n/);

    const second = await serve({ "database-url": database.url });
    expect(await look(second, endpoint, jobs)).toEqual(before);
    expect((await second.get(`/v2/${endpoint}/health`)).json.jobs).toEqual(health);
    expect((await second.get(`/v2/${empty}/health`)).status).toBe(200);
    expect((await second.get(statistics)).json.total).toEqual(total);
    expect(await attemptsOf(second)).toEqual(attempts);
    expect(await historyOf(second, endpoint)).toEqual(history);
    const { webhooks } = (await second.get(`/v1/endpoints/${empty}/webhooks`)).json;
    expect(webhooks).toMatchObject([{ job: told, jobStatus: "CANCELLED", receiver: "a.invalid:443" }]);
    expect((await second.get(`/v1/endpoints/${empty}/webhook-secret`)).json.secret).toBe(secret);

    // The worker goes on with what it holds, and with what waits: in its order, as it was submitted.
    expect((await worker.ping([jobs["running"] ?? ""])).status).toBe(200);
    await worker.stream(jobs["running"] ?? "", { output: "later" });
    await worker.done(jobs["running"] ?? "", { output: "done at last" });
    expect(await second.status(endpoint, jobs["running"] ?? "")).toMatchObject({ output: "done at last" });
    const all = await second.get(`/v2/${endpoint}/stream/${jobs["running"]}?from=0`);
    expect(all.json).toEqual([{ output: "one" }, { output: MIDDLE }, { output: LARGE }, { output: "later" }]);
    const taken = [];
    for (let left = 4; left > 0; left--) {
      const { json } = await worker.take();
      taken.push(json);
      await worker.done(json.id, { output: json.input });
    }
    expect(taken.map(({ id }) => id)).toEqual(["waiting", "large", "secret", "keyed"].map((n) => jobs[n]));
    expect(taken[1].input).toEqual({ text: LARGE });
    expect(taken[2].s3Config).toEqual(S3);

    const again = await second.post(`/v2/${endpoint}/run`, { input: { k: 1 } }, KEYED);
    expect(again.json).toEqual({ id: jobs["keyed"], status: "COMPLETED" });
    expect((await second.post(`/v2/${endpoint}/retry/${jobs["failed"]}`)).json.status).toBe("IN_QUEUE");
    expect((await worker.take()).json).toMatchObject({ id: jobs["failed"], input: { n: "failed" } });
  }, 60_000);

  test("refused, with exit code 2 and one line: what cannot be moved", async () => {
    const refused = async (sentence: RegExp, ...more: string[]): Promise<void> => {
      const { status, stdout, stderr } = await move(...more);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^forebay migrate-store: .*\n$/);
      expect(stderr).toMatch(sentence);
    };
    await refused(/is not a data directory of Forebay: it has no forebay.db\.\n/);
    expect(existsSync(data)).toBe(false);
    const first = await serve();
    const endpoint = await first.endpoint();
    const worker = await first.worker(endpoint);
    await first.run(endpoint, { text: LARGE });
    await first.post("/v1/templates", { name: "sealed", imageName: "team/worker:1" });
    await refused(/another Forebay server is using the data directory .* Stop it first\.\n/);
    await stop();
    await refused(/--to: expected an address like postgres:/, "--to", "mysql://nowhere/x");
    await refused(/Create the database, or correct its name/, "--to", postgres().url("nowhere"));
    await refused(/\.key is missing\. Give the encryption key of this data/, "--secret-key", "");

    const other =
      /the given key cannot decrypt the secrets in this data, so nothing was copied. Give the key/;
    await refused(other, "--secret-key", "another");

    // What fails in the middle leaves a database that can be tried again, and a directory that is served.
    const payloads = join(data, "payloads");
    await rm(payloads, { recursive: true });
    await refused(/a payload of a job is damaged or missing: .*ENOENT.* Put it back from a backup/);
    const counted = await postgres().run("SELECT count(*)::int AS n FROM forebay.job", nameOf(database.url));
    expect(counted).toEqual([{ n: 0 }]);
    const again = await serve();
    await worker.take();
    const logged = again.log.entries.splice(0).filter(({ level }) => level === "error");
    expect(logged.map(({ fields }) => String(fields?.["where"]))).toEqual([
      expect.stringMatching(/payloads.* is missing$/),
    ]);
    await again.post(
      `/v2/${endpoint}/cancel/${(await again.get(`/v2/${endpoint}/requests`)).json.requests[0].id}`,
    );
    await stop();
  }, 60_000);

  test("a database that holds data is refused, and by a server the directory that was moved", async () => {
    const first = await serve();
    await first.run(await first.endpoint());
    await stop();
    expect((await move()).status).toBe(0);
    const twice = await move();
    expect([twice.status, twice.stderr]).toEqual([
      2,
      expect.stringContaining("already holds data of Forebay"),
    ]);

    const started = await serve().catch((error: unknown) => String(error));
    expect(started).toContain("was moved to a database by forebay migrate-store");
    await rm(join(data, "moved"));
    await serve();
  }, 60_000);

  test("a server that starts while data is copied is refused, and so is another copy", async () => {
    const first = await serve();
    await first.run(await first.endpoint());
    await stop();
    const name = nameOf(database.url);
    // The schema is there; then somebody holds what a copy holds.
    await serve({ "database-url": database.url });
    await stop();
    const holder = new SQL(postgres().url(name), { max: 1 });
    try {
      await holder.unsafe("SELECT pg_advisory_lock(4070211001)");
      const started = await serve({ "database-url": database.url }).catch((error: unknown) => String(error));
      expect(started).toContain("A server or forebay migrate-store is changing its tables");
      expect((await move()).stderr).toContain("A server or forebay migrate-store is changing its");
    } finally {
      await holder.close();
    }
  }, 60_000);
});

/** The records of the finished jobs of the endpoint, with the inputs that are kept. */
async function historyOf(server: TestServer, endpoint: string) {
  const { store } = server.forebay.engine;
  const { records } = await store.history({ endpoints: [endpoint] }, undefined, 100, 100);
  return Promise.all(
    records.map(async (record) => {
      const input = await store.pastInput(endpoint, record.id);
      return { record, input: input && new TextDecoder().decode(await store.readPayload(input)) };
    }),
  );
}

/** Jobs in every state, by what they are there for. */
async function fill(
  server: TestServer,
  endpoint: string,
  worker: TestWorker,
): Promise<Record<string, string>> {
  const policy = { executionTimeout: 6_000 };
  const late = await server.run(endpoint, { n: "late" }, { policy });
  await worker.take();
  const completed = await server.run(endpoint, { n: "completed" });
  const failed = await server.run(endpoint, { n: "failed" });
  const large = await server.run(endpoint, { n: "large" });
  const { json } = await server.post(`/v2/${endpoint}/run`, { input: {} }, { "idempotency-key": "ended" });
  const stopping = await server.run(endpoint, { n: "stopping" });
  const running = await server.run(endpoint, { n: "running" });
  for (let count = 0; count < 6; count++) await worker.take();
  await worker.done(completed, { output: { text: MIDDLE } });
  await worker.done(failed, { error: "out of water" });
  await server.post(`/v2/${endpoint}/retry/${failed}`);
  await worker.take();
  await worker.done(failed, { error: "out of paint" });
  await worker.done(large, { output: LARGE });
  await worker.done(json.id, { output: 1 });
  await server.post(`/v2/${endpoint}/cancel/${stopping}`);
  for (const output of ["one", MIDDLE, LARGE]) await worker.stream(running, { output });
  await server.get(`/v2/${endpoint}/stream/${running}`);
  await worker.done(running, { status: "IN_PROGRESS", output: "half" });
  expect((await server.ended(endpoint, late)).status).toBe("TIMED_OUT");
  const waiting = await server.run(endpoint, { n: "waiting" }, { policy: { lowPriority: true } });
  const input = await server.run(endpoint, { text: LARGE });
  const secret = await server.run(endpoint, { n: "secret" }, { s3Config: S3 });
  const keyed = (await server.post(`/v2/${endpoint}/run`, { input: { k: 1 } }, KEYED)).json.id;
  return {
    late,
    completed,
    failed,
    done: large,
    ended: json.id,
    stopping,
    running,
    waiting,
    large: input,
    secret,
    keyed,
  };
}

/** What a client sees of them. */
async function look(server: TestServer, endpoint: string, jobs: Record<string, string>): Promise<string[]> {
  const seen = [];
  for (const id of Object.values(jobs)) {
    seen.push((await server.get(`/v2/${endpoint}/status/${id}`)).text);
    seen.push((await server.get(`/v1/endpoints/${endpoint}/jobs/${id}`)).text);
    if (id !== jobs["running"])
      seen.push((await server.get(`/v2/${endpoint}/stream/${id}?from=0&wait=1`)).text);
  }
  seen.push((await server.get("/v1/endpoints")).text);
  return seen;
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
