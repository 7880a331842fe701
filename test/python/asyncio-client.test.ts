import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { PythonClient } from "../support/python-client.ts";
import { type PythonProcesses, withPython } from "../support/python-processes.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";

setDefaultTimeout(60_000);

let server: EndToEndServer;
beforeAll(async () => {
  server = await startEndToEnd();
});
afterAll(() => server.stop());

/** The asynchronous client of the public SDK, with the SDK base as its address. */
function asyncioClient(python: PythonProcesses, endpoint: string): PythonClient {
  return new PythonClient(python, { server, endpoint, isAsyncio: true });
}

test.concurrent("run answers a job, whose output and status the asyncio client waits for", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const client = asyncioClient(python, endpoint);
    await python.worker({ server, endpoint, script: "answers.py" });
    const job = await client.call("run", { return: { text: "Grüße" } });
    expect(await client.call("output", job, 30)).toEqual({ text: "Grüße" });
    expect(await client.call("status", job)).toBe("COMPLETED");
    const failed = await client.call("run", { raise: "no" });
    expect(await client.call("output", failed, 30)).toBeNull();
    expect(await client.call("status", failed)).toBe("FAILED");
    expect(await client.call("health")).toEqual({
      jobs: { completed: 1, failed: 1, inProgress: 0, inQueue: 0, retried: 0 },
      workers: { idle: 1, initializing: 0, ready: 1, running: 0, throttled: 0, unhealthy: 0 },
    });
  }),
);

test.concurrent("the stream of the asyncio client has every chunk in order, and ends by itself", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const client = asyncioClient(python, endpoint);
    const worker = await python.worker({ server, endpoint, script: "aggregate.py" });
    const job = await client.call("run", { words: ["one", "two", "three"] });
    const streamed = client.call("stream", job);
    await worker.line(/Intermediate results sent/);
    worker.touch("go");
    expect(await streamed).toEqual(["one", "two", "three"]);
    expect(await client.call("output", job, 30)).toEqual(["one", "two", "three"]);
  }),
);

test.concurrent("the asyncio client returns what cancel and purge_queue did", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const client = asyncioClient(python, endpoint);
    const job = await client.call("run", { number: 1 });
    expect(await client.call("status", job)).toBe("IN_QUEUE");
    await expect(client.call("output", job)).rejects.toThrow("TimeoutError: Job timed out.");
    expect(await client.call("cancel", job)).toEqual({ id: job, status: "CANCELLED" });
    await client.call("run", { number: 2 });
    await client.call("run", { number: 3 });
    expect(await client.call("purge_queue")).toEqual({ removed: 2, status: "completed" });
    expect((await server.status(endpoint, job)).status).toBe("CANCELLED");
  }),
);

test.concurrent("a wrong key fails the run of the asyncio client", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const client = new PythonClient(python, { server, endpoint, key: "not-a-known-key", isAsyncio: true });
    // It never looks at the status: an answer without an id is all that it sees.
    await expect(client.call("run", { number: 1 })).rejects.toThrow("KeyError: 'id'");
  }),
);
