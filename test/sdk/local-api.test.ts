import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { join } from "node:path";
import { ChildWorker } from "../support/child-worker.ts";
import { until } from "../support/until.ts";

const PROGRAM = join(import.meta.dir, "workers/trying-worker.ts");

describe("--rp_serve_api", () => {
  let worker: ChildWorker;
  let url: string;
  beforeEach(async () => {
    const command = [process.execPath, PROGRAM, "--rp_serve_api", "--rp_api_port", "0"];
    worker = new ChildWorker(command, { CONCURRENCY: "2" });
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(await worker.line("try the handler at"))?.[0] ?? "";
  });
  afterEach(() => worker.kill());

  const call = async (method: string, path: string, body?: unknown) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, { method, ...(body === undefined ? {} : { body: text }) });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };
  const post = (path: string, body?: unknown) => call("POST", path, body);
  const get = async (path: string) => (await call("GET", path)).json;
  const run = async (input: unknown) => String((await post("/run", { input })).json["id"]);
  const become = (id: string, status: string) =>
    until(`${id} is ${status}`, async () => (await get(`/status/${id}`))["status"] === status);

  test("runsync answers the outcome", async () => {
    const { json } = await post("/runsync", { input: { text: "é – 二" } });
    const { id } = json;
    expect(json).toEqual({ id, status: "COMPLETED", output: { id, input: { text: "é – 二" } } });
    expect((await post("/runsync", { input: { fail: true } })).json).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("wrong – 二"),
    });
  });

  test("run answers at once; status, by GET or POST, tells how it stands, with its progress", async () => {
    const waiting = await run({ waits: true });
    expect(await get(`/status/${waiting}`)).toEqual({
      id: waiting,
      status: "IN_PROGRESS",
      output: "waiting",
    });
    const id = await run({ n: 1 });
    await become(id, "COMPLETED");
    expect((await post(`/status/${id}`)).json["output"]).toEqual({ id, input: { n: 1 } });
  });

  test("stream answers the chunks since the last call, by GET or POST", async () => {
    const id = await run({ yields: [1, { a: 2 }] });
    await become(id, "COMPLETED");
    const stream = [{ output: 1 }, { output: { a: 2 } }];
    expect(await get(`/stream/${id}`)).toEqual({ id, status: "COMPLETED", stream });
    expect((await post(`/stream/${id}`)).json).toEqual({ id, status: "COMPLETED", stream: [] });
  });

  test("cancel stops a job, also one that waits for a slot; as many run as concurrency says", async () => {
    const ids = [await run({ waits: true }), await run({ waits: true }), await run({}), await run({})];
    const [first = "", second = "", third = "", fourth = ""] = ids;
    expect(await get(`/status/${third}`)).toEqual({ id: third, status: "IN_QUEUE" });
    expect((await post(`/cancel/${third}`)).json).toEqual({ id: third, status: "CANCELLED" });
    expect((await post(`/cancel/${second}`)).json).toEqual({ id: second, status: "CANCELLED" });
    await worker.line("the job was cancelled");
    await become(fourth, "COMPLETED");
    expect(await get(`/status/${second}`)).toEqual({ id: second, status: "CANCELLED" });
    expect(await get(`/status/${first}`)).toMatchObject({ status: "IN_PROGRESS" });
  });

  test("refresh_worker ends nothing here, and the worker says so", async () => {
    await post("/runsync", { input: { refresh: true } });
    await worker.line("on a server, the worker would now be replaced");
    expect((await post("/runsync", { input: {} })).json["status"]).toBe("COMPLETED");
  });

  test("says what is wrong with a call", async () => {
    expect(await post("/run", "{no")).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining("The body is not JSON") },
    });
    expect(await post("/runsync", { inputs: 1 })).toMatchObject({ status: 400 });
    expect(await call("GET", "/run")).toMatchObject({ status: 405 });
    expect(await call("GET", "/status/none")).toEqual({
      status: 404,
      json: { error: "There is no job none here." },
    });
    expect(await call("GET", "/")).toMatchObject({ status: 404 });
    const headers = { origin: "https://a.example" };
    const page = await fetch(`${url}/run`, { method: "POST", headers, body: '{"input":{}}' });
    expect(page.status).toBe(403);
  });

  test("SIGTERM lets running jobs end, a second one stops them, and the worker ends", async () => {
    const id = await run({ waits: true });
    await become(id, "IN_PROGRESS");
    worker.signal("SIGTERM");
    await worker.line("takes no more jobs");
    const first = performance.now();
    await until("the next signal is another one", () => performance.now() - first > 350);
    worker.signal("SIGTERM");
    await worker.line("ended");
    expect(await worker.exit()).toBe(0);
  });
});

describe("--rp_serve_api at an address that it cannot have", () => {
  test("ends with a sentence and exit code 2", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    for (const [asked, sentence] of [
      ["x", "--rp_api_port must be a number from 0 to 65535, got x."],
      [port, `The handler cannot be served at 127.0.0.1:${port}: `],
    ] as const) {
      const worker = new ChildWorker(
        [process.execPath, PROGRAM, "--rp_serve_api", `--rp_api_port=${asked}`],
        {},
      );
      await worker.line(sentence);
      expect(await worker.exit()).toBe(2);
    }
    taken.close();
  });
});
