import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { PythonClient } from "../support/python-client.ts";
import { PythonProcesses, withPython } from "../support/python-processes.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";

setDefaultTimeout(60_000);

let server: EndToEndServer;
beforeAll(async () => {
  server = await startEndToEnd();
});
afterAll(() => server.stop());

describe("the synchronous client of the public SDK, with the SDK base and the name of an endpoint", () => {
  const python = new PythonProcesses();
  let client: PythonClient;
  beforeAll(async () => {
    const endpoint = await server.endpoint({ name: "by-name" });
    client = new PythonClient(python, { server, endpoint: "by-name" });
    await python.worker({ server, endpoint, script: "answers.py" });
  });
  afterAll(async () => {
    python.expectNoComplaint(/Captured Handler Exception|error_type/);
    await python.end();
  });

  const call = (name: string, body: () => Promise<void>): void => test(name, () => python.show(body));

  call("run answers a job, whose output and status can be asked for", async () => {
    const job = await client.call("run", { input: { return: { text: "Grüße" } }, policy: { ttl: 60_000 } });
    expect(await client.call("output", job, 30)).toEqual({ text: "Grüße" });
    expect(await client.call("status", job)).toBe("COMPLETED");
    expect(await client.call("output", job)).toEqual({ text: "Grüße" });
  });

  call("run_sync answers the output", async () => {
    expect(await client.call("run_sync", { return: [1, { two: "zwei" }] })).toEqual([1, { two: "zwei" }]);
  });

  call("a failed job has its status, and no output", async () => {
    const job = await client.call("run", { raise: "no" });
    expect(await client.call("output", job, 30)).toBeNull();
    expect(await client.call("status", job)).toBe("FAILED");
    expect(await client.call("run_sync", { raise: "no" })).toBeNull();
  });

  call("health counts jobs and workers", async () => {
    const health = await client.call("health");
    expect(health).toEqual({
      jobs: { completed: 2, failed: 2, inProgress: 0, inQueue: 0, retried: 0 },
      workers: { idle: 1, initializing: 0, ready: 1, running: 0, throttled: 0, unhealthy: 0 },
    });
  });
});

test.concurrent("stream yields every chunk in order, and ends by itself", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const client = new PythonClient(python, { server, endpoint });
    const worker = await python.worker({ server, endpoint, script: "aggregate.py" });
    const job = await client.call("run", { words: ["one", "two", "three"] });
    const streamed = client.call("stream", job);
    // Its first reads come while the generator waits behind the first word.
    await worker.line(/Intermediate results sent/);
    worker.touch("go");
    expect(await streamed).toEqual(["one", "two", "three"]);
    expect(await client.call("stream", job)).toEqual([]);
    expect(await client.call("output", job)).toEqual(["one", "two", "three"]);
    python.expectNoComplaint();
  }),
);

test.concurrent("output of a running job is its newest progress", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const client = new PythonClient(python, { server, endpoint });
    const worker = await python.worker({ server, endpoint, script: "progress.py" });
    const job = await client.call("run", { picture: 1 });
    await worker.line(/Progress Update Sent/);
    expect(await client.call("output", job)).toEqual({ step: "halfway" });
    expect(await client.call("status", job)).toBe("IN_PROGRESS");
    worker.touch("go");
    expect(await client.call("output", job, 30)).toBe("done");
  }),
);

test.concurrent("cancel and purge_queue answer what they did", () =>
  withPython(async (python) => {
    const client = new PythonClient(python, { server, endpoint: await server.endpoint() });
    const job = await client.call("run", { number: 1 });
    expect(await client.call("status", job)).toBe("IN_QUEUE");
    expect(await client.call("cancel", job)).toEqual({ id: job, status: "CANCELLED" });
    expect(await client.call("status", job)).toBe("CANCELLED");
    await client.call("run", { number: 2 });
    const purged = await client.call("run", { number: 3 });
    expect(await client.call("health")).toMatchObject({ jobs: { inQueue: 2 } });
    expect(await client.call("purge_queue")).toEqual({ removed: 2, status: "completed" });
    await expect(client.call("status", purged)).rejects.toThrow("HTTPError: 404 Client Error");
  }),
);

test.concurrent("a wrong key is refused as the client expects it", () =>
  withPython(async (python) => {
    const client = new PythonClient(python, {
      server,
      endpoint: await server.endpoint(),
      key: "not-a-key-that-is-known",
    });
    await expect(client.call("run", { number: 1 })).rejects.toThrow("RuntimeError: 401 Unauthorized");
  }),
);

test.concurrent("under /v2 the stream is the bare array of the specification", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const worker = await python.worker({ server, endpoint, script: "aggregate.py" });
    worker.touch("go");
    const job = await server.run(endpoint, { words: ["one", "two"] });
    await server.ended(endpoint, job);
    const { status, headers, text } = await server.get(`/v2/${endpoint}/stream/${job}`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toStartWith("application/json");
    expect(headers.get("x-job-status")).toBe("COMPLETED");
    expect(text).toBe('[{"output":"one"},{"output":"two"}]');
  }),
);
