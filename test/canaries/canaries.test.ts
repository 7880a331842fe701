import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, globSync, readdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../src/domain/errors.ts";
import { postgresPrograms } from "../support/postgres-programs.ts";
import { type PostgresServer, startPostgres, SUPERUSER } from "../support/postgres-server.ts";
import { ServerProcess } from "../support/server-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";
import { type Aviary, aviary } from "./canaries.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");
const LARGE = "x".repeat(200_000);

describe("T4, T5, T8, T9: canary secrets are seen where they belong, and nowhere else (S17)", () => {
  test("on SQLite: answers, log, webhooks, database, WAL, payloads, a copy, processes", async () => {
    await sendThrough(aviary(), undefined);
  }, 120_000);

  test.skipIf(postgresPrograms() === undefined)(
    "on PostgreSQL: the same, its directory with its WAL, and a dump",
    async () => {
      await using postgres = await startPostgres();
      await sendThrough(aviary(), postgres);
    },
    120_000,
  );
});

/** What a server does in its life, with a canary for every secret; then all that it has left is searched. */
async function sendThrough(birds: Aviary, postgres: PostgresServer | undefined): Promise<void> {
  await using copies = await temporaryDirectory();
  await using receiver = await WebhookReceiver.start((response, { path }) => {
    response.statusCode = path.startsWith("/bad") ? 500 : 200;
    response.end("no");
  });
  const database = postgres === undefined ? undefined : withPassword(postgres, birds);
  const server = await ServerProcess.start({
    commands: { program: [process.execPath, PROGRAM] },
    flags: { ...LOOPBACK_ALLOWED, "webhook-pause-ms": "50", "drain-grace-ms": "300" },
    env: {
      FOREBAY_ADMIN_KEY: birds.text("adminKey"),
      FOREBAY_SECRET_KEY: birds.text("encryptionKey"),
      FOREBAY_SECRET_KEY_PREVIOUS: birds.text("previousEncryptionKey"),
      ...(database === undefined ? {} : { FOREBAY_DATABASE_URL: database }),
    },
  });
  const admin = `Bearer ${birds.text("adminKey")}`;
  const data = join(server.directory, "data");

  /** A call with the cookie of a careless proxy; its answer is looked through. */
  async function call(method: string, path: string, body?: unknown, key = admin) {
    const headers = { authorization: key, cookie: `session=${birds.text("cookie")}` };
    const answer = await server.call(method, path, body, headers);
    const shown = JSON.stringify([...answer.headers]) + answer.text;
    const named = path.replace(/(endpoints|templates|keys|containerregistryauth)\/[a-z0-9]{14}/, "$1");
    birds.look(`answer of ${method} ${named}`, shown);
    return answer;
  }

  async function look(when: string): Promise<void> {
    const copy = join(copies.path, when);
    cpSync(data, copy, { recursive: true });
    for (const path of [...files(data), ...files(copy)]) {
      birds.look(`${kindOf(path)} ${when}`, readFileSync(path));
    }
    for (const [index, line] of commandLines().entries()) birds.look(`process ${index} ${when}`, line);
  }

  try {
    const wish = { name: "own", scopes: ["manage"] };
    const { json: key } = await call("POST", "/v1/keys", wish);
    // Its id stands in the database by right.
    birds.adopt("accountKey", key.key.slice(`fbk_${key.id}_`.length));
    birds.look("answer of POST /v1/keys", JSON.stringify(key));
    const own = `Bearer ${key.key}`;
    const begun = await call("POST", "/console/session", { key: key.key });
    const [, session = ""] = /=([\w-]+);/.exec(begun.headers.get("set-cookie") ?? "") ?? [];
    birds.adopt("session", session);
    birds.look("answer of POST /console/session", session);
    const cookie = { authorization: "", cookie: `forebay-session=${session}` };
    expect((await server.call("GET", "/v1/keys", undefined, cookie)).status).toBe(200);
    // Refused, with the session in it: no page of this server asks.
    expect((await server.call("POST", "/v1/keys", wish, cookie)).status).toBe(401);
    const env = { TOKEN: birds.text("templateValue") };
    const template = (
      await call("POST", "/v1/templates", { name: "t", imageName: "process/program", env }, own)
    ).json.id;
    await call("GET", `/v1/templates/${template}`);
    const credentials = {
      username: birds.text("registryUsername"),
      password: birds.text("registryPassword"),
    };
    const login = await call("POST", "/v1/containerregistryauth", { name: "registry", ...credentials }, own);
    const containerRegistryAuthId = login.json.id;
    await call("GET", `/v1/containerregistryauth/${containerRegistryAuthId}`);
    await call("GET", "/v1/containerregistryauth");
    await call("PATCH", `/v1/templates/${template}`, { containerRegistryAuthId }, own);
    await call("DELETE", `/v1/containerregistryauth/${containerRegistryAuthId}`, undefined, own);
    const webhookHeaders = { "X-Shared": birds.text("webhookHeader") };
    const endpoint = (await call("POST", "/v1/endpoints", { name: "own", webhookHeaders }, own)).json.id;
    const more = { OF_ENDPOINT: birds.text("endpointValue") };
    const managed = { name: "managed", templateId: template, workersMin: 1, env: more };
    const { json: fleet } = await call("POST", "/v1/endpoints", managed, own);
    await call("GET", `/v1/endpoints/${fleet.id}`);
    const secretOf = `/v1/endpoints/${endpoint}/webhook-secret`;
    const { json: signing } = await call("GET", secretOf, undefined, own);
    birds.adopt("webhookSecret", signing.secret);
    birds.look("answer of GET /v1/endpoints/webhook-secret", JSON.stringify(signing));
    const { json: admission } = await call("POST", `/v1/endpoints/${endpoint}/workers`, {}, own);
    birds.adopt("workerToken", admission.env.RUNPOD_AI_API_KEY);
    birds.look("answer of POST /v1/endpoints/workers", JSON.stringify(admission));
    const worker = new TestWorker(admission.env, admission.workerId);

    const accessSecret = birds.text("s3AccessSecret");
    const s3Config = { accessId: birds.text("s3AccessId"), accessSecret, bucketName: "b" };
    const address = (host: string, path: string) =>
      `http://user:${birds.text("webhookPassword")}@${host}${path}?token=${birds.text("webhookQuery")}`;
    const here = `127.0.0.1:${receiver.port}`;
    const run = async (webhook: string): Promise<string> =>
      (await call("POST", `/v2/${endpoint}/run`, { input: { n: 1 }, s3Config, webhook }, admin)).json.id;
    const done = async (id: string, result: unknown): Promise<void> => {
      const taken = await worker.take(1);
      birds.look("answer of job-take", taken.text);
      birds.look("answer of job-done", (await worker.done(taken.json.id, result)).text);
      await call("GET", `/v2/${endpoint}/status/${id}`);
    };
    const large = await run(address(here, "/good"));
    await done(large, { output: LARGE });
    await done(await run(address(here, "/bad")), { error: "out of paint" });
    await done(await run(address("gone.invalid", "/gone")), { output: 1 });
    await until("the webhooks have failed", async () => {
      const { json } = await call("GET", `/v1/endpoints/${endpoint}/webhooks?status=FAILED`);
      return json.webhooks.length === 2;
    });
    // When it ends this program puts out its environment.
    await call("POST", `/v2/${fleet.id}/run`, { input: { sleep: 600_000 } });
    await until("a worker runs", () => server.workerProcesses().length > 0);
    const left = await run(address(here, "/after"));
    await refused(birds, call, endpoint, own);
    await look("before the crash");

    await server.kill();
    await server.startAgain();
    await damageResult(data, postgres, database);
    expect((await call("GET", `/v2/${endpoint}/status/${large}`)).status).toBe(500);
    await done(left, { output: 2 });
    await until("the webhook has come", () => receiver.calls.some(({ path }) => path.startsWith("/after")));
    const { json: rotated } = await call("POST", "/v1/secrets/rotate", {});
    expect(rotated.resealed).toBe(0);
    await look("after the crash");
    for (const seen of receiver.calls) birds.look("webhook", JSON.stringify(seen));
    if (postgres !== undefined) lookIntoPostgres(birds, postgres, database ?? "");
    const faults = server.log.splice(0);
    birds.look("log", JSON.stringify([...faults, ...server.printed]));
    const message = postgres === undefined ? expect.stringContaining("is damaged") : "a request failed";
    expect(faults.filter(({ level }) => level === "error")).toMatchObject([{ message }]);
  } finally {
    await server.stop();
  }
  expect(birds.escaped()).toEqual([]);
  expect(birds.unseen()).toEqual([]);
}

type Call = (method: string, path: string, body?: unknown, key?: string) => Promise<{ status: number }>;

/** Requests that are wrong, or have a member that is not known, and have secrets where they are wrong. */
async function refused(birds: Aviary, call: Call, endpoint: string, own: string): Promise<void> {
  const run = `/v2/${endpoint}/run`;
  const secret = birds.text("s3AccessSecret");
  const password = birds.text("webhookPassword");
  const value = birds.text("templateValue");
  const wish = { name: "u", imageName: "team/worker:1" };
  const wrong: readonly (readonly [method: string, path: string, body: unknown, key?: string])[] = [
    ["POST", run, { input: {}, webhook: `ftp://user:${password}@a.example/` }],
    [
      "POST",
      run,
      { input: {}, webhook: `http://user:${password}@10.0.0.1/?t=${birds.text("webhookQuery")}` },
    ],
    ["POST", run, { input: {}, webhook: `not an address ${password}` }],
    ["POST", run, { input: {}, s3Config: { accessSecret: [secret] } }],
    ["POST", run, { input: {}, s3Config: secret }],
    ["POST", run, `{"input": {}, "s3Config": {"accessSecret": "${secret}"`],
    ["POST", run, { input: secret, policy: { ttl: secret } }],
    ["POST", "/v1/templates", { ...wish, env: { "not a name": value } }],
    ["POST", "/v1/templates", { ...wish, env: [value] }],
    ["POST", "/v1/templates", { ...wish, env: { A: `${value}\0` } }],
    ["POST", "/v1/templates", { ...wish, [value]: 1 }],
    ["PATCH", `/v1/endpoints/${endpoint}`, { webhookHeaders: { "X-A": `${birds.text("webhookHeader")}\n` } }],
    ["PATCH", `/v1/endpoints/${endpoint}`, { webhookHeaders: birds.text("webhookHeader") }],
    ["POST", "/v1/containerregistryauth", { name: "u", username: [birds.text("registryUsername")] }],
    [
      "POST",
      "/v1/containerregistryauth",
      { name: "u", username: "a", password: `${birds.text("registryPassword")}\0` },
    ],
    ["POST", "/v1/containerregistryauth", { name: "u", username: `${birds.text("registryUsername")}:` }],
    ["POST", "/v1/containerregistryauth", { name: "u", username: "a", [birds.text("registryPassword")]: 1 }],
    ["POST", "/v1/containerregistryauth", `{"name": "u", "password": "${birds.text("registryPassword")}`],
    // A path is repeated to who sent it, without its query.
    ["GET", `/v1/nothing?key=${birds.text("adminKey")}`, undefined],
    ["GET", `/v2/${endpoint}/status/x?ttl=${birds.text("adminKey")}`, undefined],
    ["GET", `/v2/${endpoint}/health`, undefined, `Bearer ${birds.text("adminKey")} twice`],
    ["GET", `/v2/${endpoint}/health`, undefined, `Bearer ${birds.text("encryptionKey")}`],
    ["POST", "/v1/accounts", { name: "a" }, own],
    ["GET", "/openapi.json", undefined],
    ["GET", "/metrics", undefined],
  ];
  for (const [method, path, body, key] of wrong) {
    const { status } = await call(method, path, body, key);
    expect([path, status < 500]).toEqual([path, true]);
  }
}

/** From now on the server fails when it reads the large result. */
async function damageResult(
  data: string,
  postgres: PostgresServer | undefined,
  database: string | undefined,
): Promise<void> {
  if (postgres !== undefined) {
    const name = new URL(database ?? "").pathname.slice(1);
    const shorter = "UPDATE forebay.job SET output_ref = 'none 9' WHERE output_ref <> ''";
    await postgres.run(shorter, name);
    return;
  }
  using rows = new Database(join(data, "forebay.db"), { readonly: true });
  const row = rows.query<{ file: string }, []>("SELECT file FROM payload WHERE file IS NOT NULL").get();
  truncateSync(join(data, "payloads", row?.file ?? ""), 10);
}

function lookIntoPostgres(birds: Aviary, postgres: PostgresServer, database: string): void {
  for (const path of files(postgres.directory)) birds.look("the directory of PostgreSQL", contentOf(path));
  const dump = spawnSync(join(postgresPrograms() ?? "", "pg_dump"), [database], { maxBuffer: 1e9 });
  expect(dump.stdout.length).toBeGreaterThan(1_000);
  birds.look("a dump", dump.stdout);
}

function withPassword(postgres: PostgresServer, birds: Aviary): string {
  return postgres.url("postgres").replace(`${SUPERUSER}@`, `${SUPERUSER}:${birds.text("databasePassword")}@`);
}

/** The files below a directory that hold anything. */
function files(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function kindOf(path: string): string {
  return path.includes("/payloads/") ? "a payload" : (path.split("/").at(-1) ?? "");
}

/** Of every process there is; one that ends meanwhile has none. */
function commandLines(): string[] {
  return globSync("/proc/[0-9]*/cmdline").map((path) => contentOf(path).toString());
}

/** Nothing of a file that goes meanwhile: a running PostgreSQL makes and removes some all the time. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (!["ENOENT", "ESRCH"].includes(errorCode(error))) throw error;
    return Buffer.alloc(0);
  }
}
