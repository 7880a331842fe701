import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Answer } from "../support/answer.ts";
import { scrape } from "../support/scrape.ts";
import { TestServer } from "../support/test-server.ts";
import { TestWorker } from "../support/test-worker.ts";
import { OPERATIONS } from "./tenancy-operations.ts";

const codeOf = ({ status, json }: Answer): string => json?.code ?? String(status);

describe("an endpoint's name", () => {
  let server: TestServer;
  let id: string;
  beforeEach(async () => {
    server = await TestServer.start();
    id = await server.endpoint({ name: "chat" });
  });
  afterEach(() => server.stop());

  test.each(["/v2", "/sdk/v2"])("stands for its id in the paths of the queue: %s", async (base) => {
    const worker = await server.worker(id);
    const run = await server.post(`${base}/chat/run`, { input: { n: 1 } });
    expect([run.status, run.json.status]).toEqual([200, "IN_QUEUE"]);
    expect((await worker.take()).json).toEqual({ id: run.json.id, input: { n: 1 } });
    await worker.stream(run.json.id, { output: "piece" });
    expect((await server.get(`${base}/chat/stream/${run.json.id}`)).text).toContain("piece");
    await worker.done(run.json.id, { output: 2 });
    for (const operation of ["status", "status-sync"]) {
      const { json } = await server.get(`${base}/chat/${operation}/${run.json.id}`);
      expect(json).toMatchObject({ id: run.json.id, status: "COMPLETED", output: 2 });
    }
    expect((await server.get(`${base}/chat/health`)).json.jobs).toMatchObject({ completed: 1 });
    expect((await server.get(`${base}/chat/requests`)).json.requests.length).toBe(1);
    const waiting = server.post(`${base}/chat/runsync`, { input: {} });
    const { json: taken } = await worker.take();
    await worker.done(taken.id, { output: 3 });
    expect((await waiting).json).toMatchObject({ id: taken.id, output: 3 });
    expect((await server.post(`${base}/chat/purge-queue`)).json.removed).toBe(0);
  });

  test("stands for its id in the OpenAI route", async () => {
    const worker = await server.worker(id);
    const call = server.post("/v2/chat/openai/v1/chat/completions", { model: "m", messages: [] });
    const { json } = await worker.take();
    expect(json.input.openai_route).toBe("/v1/chat/completions");
    await worker.done(json.id, { output: { choices: [] } });
    expect((await call).json).toEqual({ choices: [] });
  });

  test.each(["/v1", "/sdk/v1"])("stands for its id in the management API: %s", async (base) => {
    const job = await server.run(id);
    for (const path of [
      "",
      "/workers",
      "/releases",
      "/webhooks",
      "/webhook-secret",
      "/statistics",
      `/jobs/${job}`,
      `/jobs/${job}/input`,
    ]) {
      const [byId, byName] = await Promise.all(
        [id, "chat"].map((endpoint) => server.get(`${base}/endpoints/${endpoint}${path}`)),
      );
      expect([path, byName?.status]).toEqual([path, 200]);
      if (path === "") expect(byName?.json).toEqual(byId?.json);
    }
    const changed = await server.call("PATCH", `${base}/endpoints/chat`, { workersMax: 7 });
    expect(changed.json).toMatchObject({ id, workersMax: 7 });
    const { json: admitted } = await server.post(`${base}/endpoints/chat/workers`);
    expect(admitted.env.RUNPOD_WEBHOOK_GET_JOB).toContain(`/v2/${id}/job-take/`);
    expect((await server.call("DELETE", `${base}/endpoints/chat/workers/${admitted.workerId}`)).status).toBe(
      204,
    );
    expect((await server.call("DELETE", `${base}/endpoints/chat`)).status).toBe(204);
    expect(codeOf(await server.get(`${base}/endpoints/${id}`))).toBe("ENDPOINT_NOT_FOUND");
  });

  test("opens the paths of its workers to their tokens, and to no others", async () => {
    const { json } = await server.post("/v1/endpoints/chat/workers");
    const byName = Object.fromEntries(
      Object.entries<string>(json.env).map(([name, value]) => [
        name,
        value.replace(`/v2/${id}/`, "/v2/chat/"),
      ]),
    );
    const worker = new TestWorker(byName, json.workerId);
    const job = await server.run(id);
    expect((await worker.take()).json.id).toBe(job);
    expect((await worker.ping([job])).status).toBe(200);
    await worker.done(job, { output: 1 });
    expect(await server.status(id, job)).toMatchObject({ status: "COMPLETED", workerId: json.workerId });
    const other = await server.worker(await server.endpoint({ name: "other" }));
    const authorization = other.env["RUNPOD_AI_API_KEY"] ?? "";
    expect(codeOf(await server.get("/v2/chat/job-take/w", { authorization }))).toBe("KEY_NOT_ALLOWED");
  });

  test.each(["two words", "Größe", "日本", "a/b", "a+b%41", "50%", "..x", "a?b#c", "😀", "n".repeat(191)])(
    "stands in a path percent-encoded: %s",
    async (name) => {
      const made = await server.endpoint({ name });
      for (const path of ["/v1/endpoints/$", "/sdk/v1/endpoints/$"]) {
        const { json } = await server.get(path.replace("$", () => encodeURIComponent(name)));
        expect(json).toMatchObject({ id: made, name });
      }
      const run = await server.post(`/v2/${encodeURIComponent(name)}/run`, { input: {} });
      expect((await server.get(`/v2/${made}/status/${run.json.id}`)).status).toBe(200);
    },
  );

  test("is exact: case and spaces count", async () => {
    for (const name of ["Chat", "chat%20", "%20chat", "cha", "chat%00"]) {
      expect([name, codeOf(await server.get(`/v2/${name}/health`))]).toEqual([name, "ENDPOINT_NOT_FOUND"]);
    }
    expect((await server.get("/v2/%63hat/health")).status).toBe(200);
  });

  test("follows a change at once, and a deleted endpoint's name is free", async () => {
    expect((await server.call("PATCH", "/v1/endpoints/chat", { name: "talk" })).json.id).toBe(id);
    expect(codeOf(await server.get("/v2/chat/health"))).toBe("ENDPOINT_NOT_FOUND");
    expect((await server.get("/v2/talk/health")).status).toBe(200);
    const second = await server.endpoint({ name: "chat" });
    expect((await server.get("/v1/endpoints/chat")).json.id).toBe(second);
    // It is drained while its worker has a job, and its name is free meanwhile.
    const worker = await server.worker(second);
    const job = await server.run(second);
    await worker.take();
    expect((await server.call("DELETE", "/v1/endpoints/chat")).status).toBe(204);
    expect(codeOf(await server.get("/v2/chat/health"))).toBe("ENDPOINT_NOT_FOUND");
    const third = await server.endpoint({ name: "chat" });
    expect((await server.get("/v1/endpoints/chat")).json.id).toBe(third);
    await worker.done(job, { output: 1 });
    expect((await server.get("/v2/chat/health")).json.jobs).toMatchObject({ completed: 0 });
  });

  test("that is the id of another endpoint is refused: an id goes before a name", async () => {
    const wish = { name: id };
    expect(codeOf(await server.post("/v1/endpoints", wish))).toBe("NAME_TAKEN");
    const other = await server.endpoint();
    expect(codeOf(await server.call("PATCH", `/v1/endpoints/${other}`, wish))).toBe("NAME_TAKEN");
    expect((await server.get(`/v1/endpoints/${id}`)).json.name).toBe("chat");
    // Its own id is a name like any other.
    expect((await server.call("PATCH", `/v1/endpoints/${id}`, wish)).json.name).toBe(id);
  });

  test.each([
    "serverless",
    "templates",
    "registries",
    "network-volumes",
    "catalog",
    "billing",
    "account",
    "pods",
  ])("cannot be %s, which is reserved", async (name) => {
    const made = await server.post("/v1/endpoints", { name });
    expect([made.status, made.json.code]).toEqual([400, "INVALID_FIELD"]);
    expect(made.json.error).toBe(`name: "${name}" is reserved for paths of the API. Choose another name.`);
    expect(codeOf(await server.call("PATCH", "/v1/endpoints/chat", { name }))).toBe("INVALID_FIELD");
  });

  test.each(["clusters", "openapi.json", ".", ".."])("cannot be %s either", async (name) => {
    expect(codeOf(await server.post("/v1/endpoints", { name }))).toBe("INVALID_FIELD");
  });

  test("counts with its id for rate limits, Idempotency-Key, metrics and statistics", async () => {
    const key = { "idempotency-key": "once" };
    const first = await server.post("/v2/chat/run", { input: {} }, key);
    const again = await server.post(`/v2/${id}/run`, { input: {} }, key);
    expect(again.json.id).toBe(first.json.id);
    const left = ({ headers }: Answer): number => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    expect(left(first) - left(again)).toBe(1);
    const { json } = await server.get("/v1/endpoints/chat/statistics");
    expect(json.endpointId).toBe(id);
    const metrics = [...(await scrape(server)).keys()].join("\n");
    expect(metrics).toContain(id);
    expect(metrics).not.toContain('endpoint="chat"');
  });
});

describe("an endpoint's name opens no more than its id", () => {
  let server: TestServer;
  let own: string;
  beforeAll(async () => {
    server = await TestServer.start();
    own = await server.endpoint({ name: "own" });
    await server.endpoint({ name: "not-mine" });
  });
  afterAll(() => server.stop());

  const CLIENTS = OPERATIONS.filter(
    ({ path, opened }) => path.includes("{endpoint}") && opened !== "worker" && opened !== "anyone",
  );
  const filled = (path: string, endpoint: string): string =>
    path
      .replace("{endpoint}", endpoint)
      .replace("{route}", "v1/models")
      .replaceAll(/\{\w+\}/g, "1");

  async function expectMissing(headers: { authorization: string }, endpoint: string): Promise<void> {
    expect(CLIENTS.length).toBeGreaterThan(25);
    for (const { method, path } of CLIENTS) {
      const body = method === "GET" ? undefined : {};
      const answer = await server.call(method, filled(path, endpoint), body, headers);
      const shown = path.includes("/openai/") ? answer.json.error.message : answer.json.error;
      expect([path, codeOf(answer), shown]).toEqual([
        path,
        "ENDPOINT_NOT_FOUND",
        `There is no endpoint ${endpoint}.`,
      ]);
    }
  }

  test("T4, T20: another account's is answered as a missing one, on every path", async () => {
    const account = await server.account();
    const stranger = await server.key("manage", { account });
    for (const endpoint of ["own", own, "nobodys"]) await expectMissing(stranger, endpoint);
    // A name is one account's own, also where another account has the same, or an id like it.
    for (const name of ["own", own]) {
      const { json } = await server.post("/v1/endpoints", { name }, stranger);
      expect((await server.get(`/v1/endpoints/${name}`, stranger)).json.id).toBe(json.id);
      expect((await server.get(`/v1/endpoints/${name}`)).json.id).toBe(own);
    }
  });

  test("T4: a key bound to endpoints reaches no other endpoint by its name, on any path", async () => {
    const bound = await server.key("manage", { endpoints: ["own"] });
    expect((await server.get("/v2/own/health", bound)).status).toBe(200);
    expect((await server.get(`/v2/${own}/health`, bound)).status).toBe(200);
    for (const endpoint of ["not-mine", "nobodys"]) await expectMissing(bound, endpoint);
  });

  test("a key is bound to ids: the name may move on", async () => {
    const moving = await server.endpoint({ name: "moving" });
    const { json } = await server.post("/v1/keys", {
      name: "bound",
      scopes: ["read"],
      endpoints: ["moving", moving],
    });
    expect(json.endpoints).toEqual([moving]);
    await server.call("PATCH", "/v1/endpoints/moving", { name: "moved" });
    const successor = await server.endpoint({ name: "moving" });
    const bound = { authorization: json.key };
    expect((await server.get("/v2/moved/health", bound)).status).toBe(200);
    for (const endpoint of ["moving", successor]) {
      expect(codeOf(await server.get(`/v2/${endpoint}/health`, bound))).toBe("ENDPOINT_NOT_FOUND");
    }
  });
});
