import type { TestClient } from "../support/test-client.ts";
import type { TestWorker } from "../support/test-worker.ts";

/** Above what a row of SQLite holds, and above what lies in the database. */
export const MIDDLE = "m".repeat(3_000);
export const LARGE = "é".repeat(200_000);
export const S3 = { accessId: "a", accessSecret: "s3cr3t", bucketName: "b", endpointUrl: "https://s3" };
export const ENV = { TOKEN: "secret of the template" };

/** What a server holds, as its clients knew it. */
export interface Filled {
  /** When the last of it was written, ms since 1970. */
  readonly at: number;
  readonly endpoint: string;
  /** An endpoint with two releases. */
  readonly managed: string;
  readonly template: string;
  readonly account: string;
  readonly login: string;
  /** A key of the other account. */
  readonly key: string;
  readonly webhookSecret: string;
  readonly worker: { readonly id: string; readonly env: Record<string, string> };
  /** Ids of jobs, by what they are there for. */
  readonly jobs: Readonly<Record<string, string>>;
  /** What the server answered to reads, by path. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Fills an empty server, of any version, with a few records of every kind and jobs in every state. */
export async function fillServer(server: TestClient): Promise<Filled> {
  const login = await server.registryLogin();
  const registry = { containerRegistryAuthId: login };
  const made = await server.post("/v1/templates", {
    name: "sealed",
    imageName: "a/b:1",
    env: ENV,
    ...registry,
  });
  const template: string = made.json.id;
  const endpoint = await server.endpoint({
    name: "chat",
    templateId: template,
    workersMax: 3,
    idleTimeout: 7,
  });
  const managed = await fillReleases(server);
  const account = await server.account();
  const { json: key } = await server.post("/v1/keys", { name: "theirs", scopes: ["manage"], account });
  const worker = await server.worker(endpoint);
  const jobs = await fillJobs(server, endpoint, worker);
  const { json: secret } = await server.get(`/v1/endpoints/${endpoint}/webhook-secret`);
  const filled = { endpoint, managed, template, account, login, key: key.key, webhookSecret: secret.secret };
  const answers = await readServer(server, { ...filled, jobs });
  return { ...filled, at: Date.now(), worker: { id: worker.id, env: worker.env }, jobs, answers };
}

/** A template that the server can run; its change begins a release. */
async function fillReleases(server: TestClient): Promise<string> {
  const fields = { name: "idle", imageName: "process/idle", env: ENV };
  const { json } = await server.post("/v1/templates", fields);
  const managed = await server.endpoint({ name: "managed", templateId: json.id, workersMax: 0 });
  await server.call("PATCH", `/v1/templates/${json.id}`, { env: { TOKEN: "another" } });
  return managed;
}

async function fillJobs(
  server: TestClient,
  endpoint: string,
  worker: TestWorker,
): Promise<Record<string, string>> {
  const keyed = { "idempotency-key": "once" };
  const late = await server.run(endpoint, { n: "late" }, { policy: { executionTimeout: 6_000 } });
  await worker.take();
  const completed = await server.run(endpoint, { n: "completed" });
  const large = await server.run(endpoint, { n: "large" });
  const failed = await server.run(endpoint, { n: "failed" });
  const stopping = await server.run(endpoint, { n: "stopping" }, { webhook: "https://a.invalid/hook" });
  const running = await server.run(endpoint, { n: "running" });
  for (let count = 0; count < 5; count++) await worker.take();
  await worker.done(completed, { output: { text: MIDDLE } });
  await worker.done(large, { output: LARGE });
  await worker.done(failed, { error: "out of water" });
  await server.post(`/v2/${endpoint}/retry/${failed}`);
  await worker.take();
  await worker.done(failed, { error: "out of paint" });
  await server.post(`/v2/${endpoint}/cancel/${stopping}`);
  for (const output of ["one", MIDDLE, LARGE]) await worker.stream(running, { output });
  await worker.done(running, { status: "IN_PROGRESS", output: "half" });
  await server.ended(endpoint, late);
  const waiting = await server.run(endpoint, { n: "waiting" });
  const input = await server.run(endpoint, { text: LARGE });
  const secret = await server.run(endpoint, { n: "secret" }, { s3Config: S3 });
  const { json } = await server.post(`/v2/${endpoint}/run`, { input: { n: "keyed" } }, keyed);
  return { late, completed, large, failed, stopping, running, waiting, input, secret, keyed: json.id };
}

/** What clients read of it, by path. */
export async function readServer(
  server: TestClient,
  { endpoint, managed, template, login, jobs }: Omit<Filled, "at" | "worker" | "answers">,
): Promise<Record<string, unknown>> {
  const paths = [
    ...Object.values(jobs).map((id) => `/v2/${endpoint}/status/${id}`),
    ...["running", "completed"].map((name) => `/v2/${endpoint}/stream/${jobs[name]}?from=0`),
    `/v1/endpoints/${endpoint}`,
    `/v1/endpoints/${managed}`,
    `/v1/endpoints/${managed}/releases`,
    `/v1/templates/${template}`,
    `/v1/containerregistryauth/${login}`,
    `/v1/endpoints/${endpoint}/webhooks`,
    `/v1/endpoints/${endpoint}/statistics?period=30d`,
    "/v1/accounts",
  ];
  const answers: Record<string, unknown> = {};
  for (const path of paths) answers[path] = lasting((await server.get(path)).json);
  return answers;
}

/** What does not change with the time at which it is read. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers have any shape
function lasting(answer: any): unknown {
  if (answer.total !== undefined) return { total: answer.total };
  // 0.1.0 answered the list alone.
  if (answer.accounts !== undefined) return answer.accounts;
  if (answer.webhooks !== undefined) return answer.webhooks.map(ofWebhook);
  const { executionTime: _, delayTime: __, fleet: ___, ...others } = answer;
  return Array.isArray(answer) ? answer : others;
}

/** Attempts go on. */
function ofWebhook({ id, job, jobStatus, receiver }: Readonly<Record<string, unknown>>): unknown {
  return { id, job, jobStatus, receiver };
}
