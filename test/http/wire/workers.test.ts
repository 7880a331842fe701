import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { loadConfig } from "../../../src/config/config.ts";
import { TestServer } from "../../support/test-server.ts";
import type { TestWorker } from "../../support/test-worker.ts";
import { until } from "../../support/until.ts";

/** What the public worker SDK bears, ms. */
const ITS_TAKE_LIMIT = 90_000;
const ITS_REST = 15_000;
/** Of the public client in Python, ms. */
const ITS_STREAM_LIMIT = 10_000;

const MB = 1_048_576;

test("calls are held, and connections rest, for as long as the public SDKs bear", () => {
  const { takeHold, streamHold, restTime } = loadConfig({}, {});
  expect(takeHold).toBeGreaterThanOrEqual(5_000);
  expect(takeHold).toBeLessThan(ITS_TAKE_LIMIT);
  expect(streamHold).toBeLessThan(ITS_STREAM_LIMIT);
  // Proxies between them keep connections for a minute.
  expect(restTime).toBeGreaterThan(Math.max(ITS_REST, 60_000));
});

describe("what the public worker SDK sends", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  let job: string;
  beforeEach(async () => {
    server = await TestServer.start({ flags: { "take-hold-ms": "60000", "stop-hold-ms": "60000" } });
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
    job = await server.run(endpoint);
    await worker.take();
  });
  afterEach(() => server.stop());

  /** A call of the worker, its template filled in. */
  function call(name: string, query: string, init: RequestInit): Promise<Response> {
    const template = worker.env[`RUNPOD_WEBHOOK_${name}`] ?? "";
    return fetch(template.replace("$RUNPOD_POD_ID", worker.id).replace("$ID", job) + query, init);
  }

  const chunks = async (): Promise<unknown> => (await server.get(`/v2/${endpoint}/stream/${job}`)).json;
  const token = (): string => worker.env["RUNPOD_AI_API_KEY"] ?? "";

  test.each([
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain; charset=latin1",
    undefined,
  ])("results and chunks are JSON in UTF-8, though they say that they are %p", async (type) => {
    const send = (name: string, body: string): Promise<Response> =>
      call(name, "&isStream=false", {
        method: "POST",
        headers: { authorization: token(), charset: "utf-8", ...(type && { "content-type": type }) },
        body: Buffer.from(body),
      });
    const output = { text: "Grüße=😀&a=%41+1" };
    expect((await send("POST_STREAM", JSON.stringify({ output }))).status).toBe(200);
    expect((await send("POST_OUTPUT", JSON.stringify({ output }))).status).toBe(200);
    expect(await chunks()).toEqual([{ output }]);
    expect((await server.status(endpoint, job)).output).toEqual(output);
  });

  test("its token comes raw; a client that says Bearer is let in as well", async () => {
    for (const authorization of [token(), `Bearer ${token()}`, `bearer ${token()}`]) {
      const { status } = await call("PING", "&runpod_version=1.12.0", { headers: { authorization } });
      expect(status).toBe(200);
    }
  });

  test("chunks of a generator that does not aggregate stay readable behind its last report", async () => {
    const post = (name: string, isStream: boolean, body: object): Promise<Response> =>
      call(name, `&isStream=${isStream}`, {
        method: "POST",
        headers: { authorization: token() },
        body: JSON.stringify(body),
      });
    // It says false of every chunk, and true of its last report.
    for (const n of [1, 2]) await post("POST_STREAM", false, { output: n });
    await post("POST_OUTPUT", true, { output: [] });
    expect(await server.status(endpoint, job)).toMatchObject({ status: "COMPLETED", output: [] });
    expect(await chunks()).toEqual([{ output: 1 }, { output: 2 }]);
  });

  test("results of 24 MB are kept, and come back whole", async () => {
    await worker.done(job, { output: "x".repeat(24 * MB) });
    const { status, json } = await server.get(`/v2/${endpoint}/status/${job}`);
    expect([status, json.output === "x".repeat(24 * MB)]).toEqual([200, true]);
  });

  test("progress is shown while the job runs, and deleted when it runs again", async () => {
    const told = async (): Promise<unknown> => (await server.get(`/sdk/v2/${endpoint}/status/${job}`)).json;
    await worker.done(job, { status: "IN_PROGRESS", output: { step: 1 } });
    expect(await told()).toMatchObject({ status: "IN_PROGRESS", output: { step: 1 } });
    expect((await server.status(endpoint, job)).output).toBeUndefined();
    await worker.done(job, { error: "no" });
    await server.post(`/v2/${endpoint}/retry/${job}`);
    expect(await told()).toEqual({ id: job, status: "IN_QUEUE" });
    await worker.take();
    expect((await server.get(`/sdk/v2/${endpoint}/status/${job}`)).json.output).toBeUndefined();
  });

  test("calls that are held when the server stops are answered 204 at once", async () => {
    const stopping = await TestServer.start({
      flags: { "take-hold-ms": "60000", "stop-hold-ms": "60000" },
    });
    const at = await stopping.endpoint();
    const other = await stopping.worker(at);
    const held = [other.take(), other.stops()];
    const { parkedTakes, waits } = stopping.forebay.engine;
    await until(
      "both are held",
      () => parkedTakes.endpoints().includes(at) && waits.keys("stop ").length > 0,
    );
    await stopping.stop();
    for (const answer of held) expect((await answer).status).toBe(204);
  });
});
