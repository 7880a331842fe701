import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../support/answer.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";

/** Each test shows a symptom of docs/troubleshooting.md, and then that the action of its row cures it. */
describe("a call that fails", () => {
  let server: TestServer;
  let endpoint: string;
  beforeAll(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint({ name: "chat" });
  });
  afterAll(() => server.stop());

  const outcome = ({ status, json }: Answer): string => `${status} ${json.code ?? json.status}`;
  const run = (headers: Record<string, string> = {}, path = `/v2/${endpoint}/run`): Promise<Answer> =>
    server.post(path, { input: {} }, headers);

  test("without a key gets 401 KEY_MISSING; with the header it works", async () => {
    const refused = await run({ authorization: "" });
    expect(outcome(refused)).toBe("401 KEY_MISSING");
    expect(refused.json.error).toContain("Authorization: Bearer <key>");
    expect(outcome(await run())).toBe("200 IN_QUEUE");
  });

  test("with a key of another server gets 401 KEY_UNKNOWN; with a key made here it works", async () => {
    expect(outcome(await run({ authorization: "Bearer fbk_of_another_server" }))).toBe("401 KEY_UNKNOWN");
    expect(outcome(await run(await server.key("write")))).toBe("200 IN_QUEUE");
  });

  test("with a key of too small a scope gets 401 KEY_NOT_ALLOWED; with a larger one it works", async () => {
    expect(outcome(await run(await server.key("read")))).toBe("401 KEY_NOT_ALLOWED");
    expect(outcome(await run(await server.key("write")))).toBe("200 IN_QUEUE");
  });

  test("with a wrong base URL gets 404 ROUTE_NOT_FOUND; with /v2 or /sdk/v2 it works", async () => {
    expect(outcome(await run({}, `/${endpoint}/run`))).toBe("404 ROUTE_NOT_FOUND");
    expect(outcome(await run({}, `/v2/v2/${endpoint}/run`))).toBe("404 ROUTE_NOT_FOUND");
    expect(outcome(await run({}, `/v2/${endpoint}/run`))).toBe("200 IN_QUEUE");
    expect(outcome(await run({}, `/sdk/v2/${endpoint}/run`))).toBe("200 IN_QUEUE");
  });

  test("to no endpoint gets 404 ENDPOINT_NOT_FOUND; the list has the one that works", async () => {
    expect(outcome(await run({}, "/v2/chatt/run"))).toBe("404 ENDPOINT_NOT_FOUND");
    const { json } = await server.get("/v1/endpoints");
    const { id } = json.find(({ name }: { name: string }) => name === "chat");
    expect(outcome(await run({}, `/v2/${id}/run`))).toBe("200 IN_QUEUE");
  });

  test("with parameters outside of input gets 400; within input they reach the worker", async () => {
    const refused = await server.post(`/v2/${endpoint}/run`, { name: "Ada" });
    expect([outcome(refused), refused.json.error]).toEqual([
      "400 INVALID_FIELD",
      "input is missing. Put the parameters of the job there.",
    ]);
    const own = await server.endpoint();
    await server.run(own, { name: "Ada" });
    expect((await (await server.worker(own)).take()).json.input).toEqual({ name: "Ada" });
  });

  test("of 11 MB to run gets 413; runsync takes it, and run takes an address instead", async () => {
    const own = await server.endpoint();
    const input = { image: "x".repeat(11_000_000) };
    expect(outcome(await server.post(`/v2/${own}/run`, { input }))).toBe("413 BODY_TOO_LARGE");
    expect((await server.post(`/v2/${own}/runsync?wait=1000`, { input })).status).toBe(200);
    const reference = { image: "https://files.example.com/image.png" };
    expect(outcome(await server.post(`/v2/${own}/run`, { input: reference }))).toBe("200 IN_QUEUE");
  });

  test("with a webhook to a private address gets 400; FOREBAY_WEBHOOK_ALLOW permits it", async () => {
    await using receiver = await WebhookReceiver.start();
    const body = { input: {}, webhook: receiver.url() };
    const refused = await server.post(`/v2/${endpoint}/run`, body);
    expect(outcome(refused)).toBe("400 INVALID_FIELD");
    expect(refused.json.error).toContain("To allow it, set FOREBAY_WEBHOOK_ALLOW");
    const permissive = await TestServer.start({ flags: LOOPBACK_ALLOWED });
    try {
      const own = await permissive.endpoint();
      const { json } = await permissive.post(`/v2/${own}/run`, body);
      const worker = await permissive.worker(own);
      await worker.take();
      await worker.done(json.id, { output: 1 });
      expect(JSON.parse((await receiver.called())[0]?.body ?? "")).toMatchObject({ id: json.id });
    } finally {
      await permissive.stop();
    }
  });
});

test("a result is gone 30 minutes after its job; with a longer runRetentionMs it is there", async () => {
  const clock = new ManualClock();
  const server = await TestServer.start({ clock });
  try {
    const endpoint = await server.endpoint();
    const keeping = await server.endpoint({ runRetentionMs: 86_400_000 });
    const finish = async (at: string): Promise<string> => {
      const id = await server.run(at);
      const worker = await server.worker(at);
      await worker.take();
      await worker.done(id, { output: 1 });
      return id;
    };
    const [gone, kept] = [await finish(endpoint), await finish(keeping)];
    await clock.standStill(31 * 60_000);
    expect(await server.status(endpoint, gone)).toMatchObject({ code: "JOB_NOT_FOUND" });
    expect(await server.status(keeping, kept)).toMatchObject({ status: "COMPLETED" });
  } finally {
    await server.stop();
  }
});

test("a job without a worker stays IN_QUEUE and says why; with a worker it is COMPLETED", async () => {
  const server = await TestServer.start();
  try {
    const endpoint = await server.endpoint();
    const id = await server.run(endpoint);
    const { json } = await server.get(`/v1/endpoints/${endpoint}/jobs/${id}`);
    expect([json.status, json.reason.code]).toEqual(["IN_QUEUE", "NO_WORKERS"]);
    expect(json.reason.message).toContain("forebay worker env");
    const worker = await server.worker(endpoint);
    await worker.take();
    await worker.done(id, { output: 1 });
    expect(await server.status(endpoint, id)).toMatchObject({ status: "COMPLETED" });
  } finally {
    await server.stop();
  }
});

test("the console cannot sign in behind TLS; with FOREBAY_PUBLIC_URL it can", async () => {
  const page = { origin: "https://queue.example.com", authorization: "" };
  const signIn = async (flags: Record<string, string>): Promise<Answer> => {
    const server = await TestServer.start({ flags: { "admin-key": "key-of-the-admin-01", ...flags } });
    try {
      return await server.post("/console/session", { key: "key-of-the-admin-01" }, page);
    } finally {
      await server.stop();
    }
  };
  expect((await signIn({})).status).toBe(401);
  const begun = await signIn({ "public-url": "https://queue.example.com" });
  expect([begun.status, begun.headers.get("set-cookie")]).toEqual([200, expect.stringContaining("; Secure")]);
});
