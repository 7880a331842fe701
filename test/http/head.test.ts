import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../support/answer.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { takesHead } from "../support/takes-head.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { OPERATIONS } from "./tenancy-operations.ts";

/** Headers that differ from answer to answer. */
const OWN = new Set(["x-request-id", "ratelimit", "date", "content-length", "transfer-encoding"]);

describe("HEAD", () => {
  // Leases stand still, so that what runs goes on running.
  const clock = new ManualClock();
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  let job: string;
  beforeAll(async () => {
    server = await TestServer.start({ clock });
    endpoint = await server.endpoint({ name: "chat" });
    worker = await server.worker(endpoint);
    job = await server.run(endpoint, { text: "x".repeat(300_000) });
    await worker.take();
    await worker.done(job, { output: "y".repeat(300_000) });
  });
  afterAll(() => server.stop());

  const head = (path: string, headers?: Record<string, string>): Promise<Answer> =>
    server.call("HEAD", path, undefined, headers);
  const shown = ({ headers }: Answer): [string, string][] =>
    [...headers].filter(([name]) => !OWN.has(name)).toSorted();
  const filled = (path: string): string =>
    path
      .replace("{endpoint}", endpoint)
      .replace("{job}", job)
      .replace("{worker}", worker.id)
      .replace("{route}", "v1/models")
      .replaceAll(/\{\w+\}/g, "1");
  const GETS = OPERATIONS.filter(({ method }) => method === "GET");

  test("is answered as GET, with its status and headers and without its body", async () => {
    const reading = GETS.filter(({ path }) => takesHead(path));
    expect(reading.length).toBeGreaterThan(25);
    for (const { path } of reading) {
      const get = await server.get(filled(path));
      const answer = await head(filled(path));
      expect([path, answer.status, answer.text]).toEqual([path, get.status, ""]);
      expect([path, shown(answer)]).toEqual([path, shown(get)]);
      // An answer in pieces does not know its length, and says none.
      if (get.text !== "") expect([path, answer.headers.get("content-length")]).not.toEqual([path, "0"]);
    }
  });

  test("has the Content-Length of what is answered as a whole", async () => {
    const endpointPath = `/v1/endpoints/${endpoint}`;
    for (const path of ["/healthz", "/openapi.json", "/docs", "/v2/chat/health", endpointPath]) {
      const { text } = await server.get(path);
      expect((await head(path)).headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    }
  });

  test("is 405, with the methods of the path, if GET does more than read", async () => {
    const changing = GETS.filter(({ path }) => !takesHead(path));
    expect(changing.map(({ path }) => path).toSorted()).toEqual([
      "/v2/{endpoint}/job-stop/{worker}",
      "/v2/{endpoint}/job-take-batch/{worker}",
      "/v2/{endpoint}/job-take/{worker}",
      "/v2/{endpoint}/openai/{route}",
      "/v2/{endpoint}/ping/{worker}",
      "/v2/{endpoint}/stream/{job}",
    ]);
    const waiting = await server.run(endpoint);
    for (const { path, opened } of changing) {
      const token = { authorization: worker.env["RUNPOD_AI_API_KEY"] ?? "" };
      const { status, headers } = await head(filled(path), opened === "worker" ? token : undefined);
      expect([path, status, headers.get("allow")?.startsWith("GET")]).toEqual([path, 405, true]);
    }
    expect(await server.status(endpoint, waiting)).toMatchObject({ status: "IN_QUEUE" });
    const ttl = await head(`/v2/${endpoint}/status/${waiting}?ttl=1000`);
    expect([ttl.status, ttl.headers.get("allow")]).toEqual([405, "GET, POST"]);
    await server.post(`/v2/${endpoint}/purge-queue`);
  });

  test("Allow names HEAD with GET", async () => {
    const allowed = async (path: string): Promise<string | null> =>
      (await server.call("PUT", path)).headers.get("allow");
    expect(await allowed("/healthz")).toBe("GET, HEAD");
    expect(await allowed("/v1/endpoints/chat")).toBe("GET, HEAD, PATCH, DELETE");
    expect(await allowed("/v2/chat/status/x")).toBe("GET, HEAD, POST");
    expect(await allowed("/v2/chat/stream/x")).toBe("GET, POST");
    expect(await allowed("/v2/chat/run")).toBe("POST");
  });

  test("of an answer that goes on ends it: nothing is held, and no call stays in flight", async () => {
    const { meters } = server.forebay.engine;
    const events = { accept: "text/event-stream" };
    for (let n = 0; n < 20; n++) {
      const live = await head("/v1/endpoints/chat/statistics", events);
      expect([live.status, live.headers.get("content-type"), live.text]).toEqual([
        200,
        "text/event-stream",
        "",
      ]);
      expect((await head(`/v2/${endpoint}/status/${job}`)).status).toBe(200);
      expect((await head("/v1/statistics", events)).status).toBe(200);
    }
    await until("nobody reads", () => meters.liveReaders === 0);
    expect(server.forebay.engine.readings.size).toBe(0);
    const { headers } = await server.get("/v1/endpoints/chat");
    expect(headers.get("ratelimit-policy")).toStartWith('"management"');
  });
});

describe("the start page", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  test.each(["GET", "HEAD"])("%s / leads to the console, and needs no key", async (method) => {
    const answer = await fetch(`${server.url}/`, { method, redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/console"]);
    const text = await answer.text();
    expect(text.includes("console   /console")).toBe(method === "GET");
    const page = await fetch(`${server.url}/`, { headers: { accept: "text/html" } });
    expect([page.status, page.url]).toEqual([200, `${server.url}/console`]);
  });
});
