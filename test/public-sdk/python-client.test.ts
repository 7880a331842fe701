import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { SDK_VERSIONS } from "../sdk-versions/versions.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";
import { PythonClient } from "../support/python-client.ts";
import { withPython } from "../support/python-processes.ts";

setDefaultTimeout(90_000);

let server: EndToEndServer;
beforeAll(async () => {
  server = await startEndToEnd();
});
afterAll(() => server.stop());

for (const { version, environment: packages } of SDK_VERSIONS) {
  test.concurrent(`the public Python SDK ${version} as a client, unmodified: every call of the queue`, () =>
    withPython(async (python) => {
      const endpoint = await server.endpoint();
      const worker = await server.worker(endpoint);
      const client = new PythonClient(python, { server, endpoint, packages });

      const policy = { executionTimeout: 6_000, ttl: 60_000 };
      const job = await client.call("run", { input: { n: 1 }, policy });
      expect(await client.call("status", job)).toBe("IN_QUEUE");
      expect((await worker.take()).json).toEqual({ id: job, input: { n: 1 }, policy });
      expect(await client.call("status", job)).toBe("IN_PROGRESS");
      await worker.stream(job, { output: "one" });
      const streamed = client.call("stream", job);
      await worker.stream(job, { output: { two: "zwei" } });
      await worker.done(job, { output: { text: "Grüße" } });
      expect(await streamed).toEqual(["one", { two: "zwei" }]);
      expect(await client.call("output", job, 30)).toEqual({ text: "Grüße" });

      const answer = client.call("run_sync", { input: { n: 2 } });
      await worker.done((await worker.take()).json.id, { output: [1, 2] });
      expect(await answer).toEqual([1, 2]);

      const failing = await client.call("run", { input: { n: 3 } });
      await worker.done((await worker.take()).json.id, { error: "no" });
      expect(await client.call("status", failing)).toBe("FAILED");

      const cancelled = await client.call("run", { input: { n: 4 } });
      expect(await client.call("cancel", cancelled)).toMatchObject({ id: cancelled, status: "CANCELLED" });
      await client.call("run", { input: { n: 5 } });
      expect(await client.call("purge_queue")).toEqual({ removed: 1, status: "completed" });
      expect(await client.call("health")).toMatchObject({
        jobs: { completed: 2, failed: 1, inProgress: 0, inQueue: 0 },
      });
      python.expectNoComplaint();
    }),
  );
}
