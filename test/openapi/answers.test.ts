import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../support/answer.ts";
import { type DocumentedOperation, OpenApiChecks } from "../support/openapi-checks.ts";
import { SilentEngine } from "../support/silent-engine.ts";
import { askManagementV2, STOCK } from "./ask-management-v2.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";

const GPU = { uuid: "GPU-1", name: "NVIDIA L40S", memoryInMb: 46_068 };
const FLAGS = { ...LOOPBACK_ALLOWED, "stop-hold-ms": "50", "take-hold-ms": "50", "stream-hold-ms": "50" };

/** What an example shows, and an answer to the example's own request may lack, or the other way round. */
const MAY_DIFFER: Readonly<Record<string, readonly string[]>> = {
  // Data in memory has no disk.
  readyz: ["disk"],
  // The environment of a real worker has more variables.
  admitWorker: ["env"],
  // A job comes with what else was submitted.
  takeJob: ["webhook"],
  openai: ["data"],
  openaiModels: ["id", "choices"],
  createEndpointV2: ["warnings"],
  updateEndpointV2: ["warnings"],
  createTemplateV2: ["warnings"],
  // Shown on request.
  readGpuTypeV2: ["availability"],
  readCpuTypeV2: ["availability"],
};

describe.each(["spec", "sdk"] as const)("%s: the server answers as the document says", (dialect) => {
  const checks = new OpenApiChecks(dialect);
  const base = dialect === "sdk" ? "/sdk" : "";
  const visited = new Set<string>();
  let server: TestServer;
  let directory: TemporaryDirectory;
  beforeAll(async () => {
    directory = await temporaryDirectory();
    server = await TestServer.start({ flags: { ...FLAGS, data: join(directory.path, "data") } });
  });
  afterAll(async () => {
    await server.stop();
    await directory[Symbol.asyncDispose]();
  });

  /** Sends the example of an operation; the answer is held against the document and against its example. */
  async function ask(
    id: string,
    ids: Record<string, string> = {},
    change: { body?: unknown; query?: string; headers?: Record<string, string>; status?: number } = {},
  ): Promise<Answer> {
    const operation = checks.operations.find(({ operationId }) => operationId === id);
    if (operation === undefined) throw new Error(`there is no operation ${id}`);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
    const body = change.body ?? operation.requestBody?.content["application/json"]?.example;
    const url = `${base}${path}${change.query ?? ""}`;
    const answer = await server.call(operation.method, url, body, change.headers);
    const { status, headers, text } = answer;
    const json = text === "" ? undefined : answer.json;
    const faults = checks.faultsOf(operation, { status, headers, json });
    expect({ id, status, faults }).toEqual({ id, status: change.status ?? 200, faults: [] });
    visited.add(`${id} ${status}`);
    if (status < 300 && json !== undefined) compare(operation, status, json);
    return answer;
  }

  /** Members of the answer that its example does not show, but may, are told by name here. */
  function compare(operation: DocumentedOperation, status: number, json: unknown): void {
    const example = operation.responses[status]?.content?.["application/json"]?.example;
    if (example === undefined || operation.operationId === "openapi") return;
    const free = MAY_DIFFER[operation.operationId] ?? [];
    const names = (value: unknown): string[] => {
      const one = Array.isArray(value) ? value[0] : value;
      return Object.keys(one ?? {}).filter((name) => !free.includes(name));
    };
    // What a record has depends on what has happened to it; the schema has said that nothing else is there.
    const told = new Set(names(example));
    const required = names(json).filter((name) => !told.has(name) && !OPTIONAL.has(name));
    expect({ id: operation.operationId, required }).toEqual({ id: operation.operationId, required: [] });
  }

  const OF_WEBHOOKS = ["nextAttemptAt", "lastAttemptAt", "responseStatus", "previousSecret"];
  const OPTIONAL = new Set([
    "lastUsedAt",
    "previousUntil",
    "nextCursor",
    "templateId",
    "version",
    "servedAt",
    "completeAt",
    "pinnedImage",
    "pausedAt",
    "stopped",
    "error",
    "position",
    "traceContext",
    "reason",
    "diskFreeInMb",
    "gpuFault",
    "cores",
    "memoryInMb",
    "progress",
    ...OF_WEBHOOKS,
  ]);

  test("every operation goes well with its own example, which shows what comes back", async () => {
    const { json: endpoint } = await ask("createEndpoint");
    const ids: Record<string, string> = { endpoint: endpoint.id };
    await ask("readEndpoint", ids);
    await ask("patchEndpoint", ids);
    await ask("updateEndpoint", ids);
    await ask("listEndpoints");
    const { json: template } = await ask("createTemplate");
    ids["template"] = template.id;
    await ask("readTemplate", ids);
    await ask("updateTemplate", ids);
    await ask("patchTemplate", ids);
    await ask("listTemplates");
    await ask("deleteTemplate", ids, { status: 204 });
    ids["registryLogin"] = (await ask("createRegistryLogin")).json.id;
    await ask("readRegistryLogin", ids);
    await ask("listRegistryLogins");
    await ask("deleteRegistryLogin", ids, { status: 204 });
    const { json: key } = await ask("createKey");
    ids["key"] = key.id;
    await ask("listKeys");
    await ask("rotateKey", ids);
    await ask("revokeKey", ids, { status: 204 });
    await ask("createAccount");
    await ask("listAccounts");
    await ask("listHosts");
    await ask("readHost", { host: "local" });
    const engine = await SilentEngine.at(join(directory.path, `${dialect}.sock`));
    await ask("createHost", {}, { body: { name: "gpu-1", address: engine.address, gpus: [GPU] } });
    await ask("listGpuTypesV2", {}, STOCK);
    await ask("readGpuTypeV2", { gpu: encodeURIComponent(GPU.name) }, STOCK);
    await ask("updateHost", { host: "gpu-1" });
    await ask("deleteHost", { host: "gpu-1" }, { status: 204 });
    await engine.stop();
    await ask("rotateSecrets");
    await ask("backUp");
    ids["worker"] = (await ask("admitWorker", ids)).json.workerId;
    await ask("listWorkers", ids);
    await ask("stopWorker", ids, { status: 204 });
    await ofManagedWorker();
    await askManagementV2(ask);

    const worker = await server.worker(endpoint.id);
    ids["worker"] = worker.id;
    const token = { authorization: `Bearer ${worker.env["RUNPOD_AI_API_KEY"]}` };
    const run = async (): Promise<string> => (ids["job"] = (await ask("run", ids)).json.id);
    await ask("takeJob", ids, { headers: token, status: 204 });
    await ask("takeJobs", ids, { headers: token, status: 204 });
    await ask("stopJobs", ids, { headers: token, status: 204 });

    await run();
    await ask("status", ids);
    await ask("readJobInput", ids);
    await ask("readJob", ids);
    await ask("findJobs");
    await ask("findJob", ids);
    await ask("findJobInput", ids);
    await ofManyJobs();
    await ask("takeJob", ids, { headers: token });
    await ask("requests", ids);
    await ask("health", ids);
    await ask("endpointStatistics", ids);
    await ask("statistics");
    await ask("metrics");
    await ask("ping", ids, { headers: token, query: `?job_id=${ids["job"]}` });
    await ask("reportChunk", ids, { headers: token });
    await ask("stream", ids);
    await ask("streamByPost", ids);
    const atEnd = { headers: { accept: "text/event-stream", "last-event-id": "end" }, status: 204 };
    await ask("stream", ids, atEnd);
    await ask("streamByPost", ids, atEnd);
    await ask("reportResult", ids, { headers: token });
    const events = { headers: { accept: "text/event-stream" } };
    await ask("stream", ids, events);
    await ask("streamByPost", ids, events);
    await ask("statusByPost", ids);
    await ask("statusSync", ids);
    await ask("statusSyncByPost", ids);

    await run();
    await ask("takeJobs", ids, { headers: token });
    await ask("cancel", ids);
    await ask("stopJobs", ids, { headers: token });

    await run();
    const { json: exchanged } = await ask("exchange", ids, { headers: token });
    expect(exchanged.jobs[0].job.id).toBe(ids["job"]);
    const failure = { results: [{ id: ids["job"], attempt: exchanged.jobs[0].attempt, error: "broken" }] };
    await ask("exchange", ids, { headers: token, body: failure });
    await ask("status", ids);
    await ask("retry", ids);
    await ask("purgeQueue", ids);
    await held("runsync", worker, ids);
    ids["route"] = "v1/models";
    await held("openaiModels", worker, ids);
    ids["route"] = "v1/chat/completions";
    await held("openai", worker, ids);

    await using receiver = await WebhookReceiver.start();
    await ask("run", ids, { body: { input: {}, webhook: receiver.url() } });
    const { json: told } = await ask("takeJob", ids, { headers: token });
    await ask("reportResult", { ...ids, job: told.id }, { headers: token });
    ids["delivery"] = (await ask("listWebhooks", ids)).json.webhooks[0].id;
    await receiver.called();
    await ask("redeliverWebhook", ids);
    await ask("redeliverWebhooks", ids);
    await ask("readWebhookSecret", ids);
    await ask("rotateWebhookSecret", ids);
    await ask("deleteEndpoint", ids, { status: 204 });
    await ask("start", {}, { status: 302 });
    for (const id of ["healthz", "readyz", "openapi"]) await ask(id);
    for (const { operationId } of checks.operations.filter(({ path }) => path.startsWith("/docs"))) {
      await ask(operationId);
    }

    const { text: frame } = await ask("console");
    await ask("consoleAsset", { asset: /assets\/(main-\w+)/.exec(frame)?.[1] ?? "" });
    await ask("signIn", {}, { body: { key: TEST_KEY } });
    await ask("readSession");
    await ask("signOut", {}, { status: 204 });

    const unvisited = checks.operations.flatMap(({ operationId, responses }) =>
      Object.keys(responses)
        .filter((status) => Number(status) < 300 && !visited.has(`${operationId} ${status}`))
        .map((status) => `${operationId} ${status}`),
    );
    expect(unvisited).toEqual([]);
  });

  /** Actions on many jobs: what they would do, and what they do. */
  async function ofManyJobs(): Promise<void> {
    const body = { filter: { tag: "absent" } };
    for (const id of ["retryJobs", "resubmitJobs", "cancelJobs"]) {
      await ask(id);
      const { json } = await ask(id, {}, { body, status: 202 });
      await ask("readJobOperation", { operation: json.id });
      await ask("cancelJobOperation", { operation: json.id });
    }
    await ask("listJobOperations");
  }

  /** What there is only of a worker that Forebay starts. */
  async function ofManagedWorker(): Promise<void> {
    const wish = { name: crypto.randomUUID(), imageName: "process/hello" };
    const templateId = (await server.post("/v1/templates", wish)).json.id;
    const endpoint = await server.endpoint({ templateId });
    await ask("rollBack", { endpoint });
    await ask("listReleases", { endpoint });
    const job = await server.run(endpoint, { name: "x" });
    const { workerId } = await server.ended(endpoint, job);
    const ids = { endpoint, job, worker: workerId };
    await ask("listWorkers", ids);
    await ask("workerLogs", ids, { query: "?tail=10&since=2026-01-31T12:00:00Z&follow=false" });
    await ask("jobLogs", ids);
    await ask("listWorkersV2", ids);
    await ask("listReleasesV2", ids);
    await ask("replaceWorker", ids, { status: 204 });
    await until("the version has served", async () => {
      const { releases } = (await server.get(`/v1/endpoints/${endpoint}/releases`)).json;
      return releases[0].servedAt !== undefined;
    });
    await ask("workerLogsV2", ids, { query: "?tail=10" });
    await ask("workerLogsV2", ids, { headers: { "last-event-id": "end" }, status: 204 });
    const { json: release } = await ask("rollBack", { endpoint });
    await ask("pauseRelease", { endpoint, version: String(release.version) });
  }

  /** A call that is answered when its job has ended. */
  async function held(id: string, worker: TestWorker, ids: Record<string, string>): Promise<void> {
    const waiting = ask(id, ids);
    let taken = await worker.take();
    while (taken.status === 204) taken = await worker.take();
    await worker.done(taken.json.id, { output: { id: "1", object: "list", data: [], choices: [] } });
    expect((await waiting).status).toBe(200);
  }

  test("a record has nothing that its schema does not name: one more member is a fault", () => {
    const status = checks.find("GET", "/v2/{endpoint}/status/{job}");
    if (status === undefined) throw new Error("there is no status");
    const headers = new Headers({
      "content-type": "application/json",
      ratelimit: "x",
      "ratelimit-policy": "x",
    });
    const json = { id: "a", status: "IN_QUEUE" };
    expect(checks.faultsOf(status, { status: 200, headers, json })).toEqual([]);
    expect(checks.faultsOf(status, { status: 200, headers, json: { ...json, more: 1 } })).not.toEqual([]);
    expect(checks.faultsOf(status, { status: 418, headers, json })).not.toEqual([]);
  });
});
