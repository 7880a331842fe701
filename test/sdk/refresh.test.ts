import { describe, expect, test } from "bun:test";
import type { Handler, StartOptions } from "@forebay/worker";
import { freshServer } from "../support/fresh-server.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { PROTOCOLS, SdkWorker } from "../support/sdk-worker.ts";
import { TestServer } from "../support/test-server.ts";

describe.each(PROTOCOLS)("refresh_worker over the %s protocol", (protocol) => {
  let server: TestServer;
  let endpoint: string;
  let worker: SdkWorker;
  freshServer((fresh) => ({ server, endpoint } = fresh), { end: () => worker.stop() });

  const start = async (handler: Handler, more: Partial<StartOptions> = {}): Promise<void> => {
    worker = await SdkWorker.start(server, endpoint, { handler, protocol, ...more });
  };
  const ended = async (id: string) => (await server.get(`/v2/${endpoint}/status-sync/${id}`)).json;

  test("in what the handler returns is taken out of the output, and ends the worker", async () => {
    await start(() => ({ refresh_worker: true, text: "done" }));
    const [first, second] = [await server.run(endpoint), await server.run(endpoint)];
    await worker.ended;
    expect((await ended(first)).output).toEqual({ text: "done" });
    expect(await server.status(endpoint, second)).toEqual({ id: second, status: "IN_QUEUE" });
  });

  test("that is false is taken out all the same, and the worker goes on", async () => {
    await start(() => ({ refresh_worker: false, text: "done" }));
    for (const id of [await server.run(endpoint), await server.run(endpoint)]) {
      expect((await ended(id)).output).toEqual({ text: "done" });
    }
  });

  const kinds: [kind: string, handler: Handler, status: string][] = [
    ["returns", () => "done", "COMPLETED"],
    ["yields", () => [1, 2].values(), "COMPLETED"],
    ["throws", () => Promise.reject(new Error("no")), "FAILED"],
    ["returns nothing", () => undefined, "COMPLETED"],
  ];
  test.each(kinds)(
    "as an option ends the worker after a job whose handler %s",
    async (_kind, handler, status) => {
      await start(handler, { refresh_worker: true });
      const id = await server.run(endpoint);
      await worker.ended;
      expect((await ended(id)).status).toBe(status);
    },
  );

  // Of a result that the server cannot read, job-done keeps nothing; the exchange refuses it.
  test("as an option does not end the worker after a job that was stopped: nothing is reported", async () => {
    const begun = Promise.withResolvers<string>();
    await start(
      ({ id, input }, { signal }) =>
        input["waits"] === true
          ? new Promise((resolve) => {
              begun.resolve(id);
              signal.addEventListener("abort", resolve);
            })
          : "done",
      { refresh_worker: true },
    );
    const stopped = await server.run(endpoint, { waits: true });
    await begun.promise;
    await server.post(`/v2/${endpoint}/cancel/${stopped}`);
    expect(await ended(await server.run(endpoint))).toMatchObject({ status: "COMPLETED" });
    await worker.ended;
  });

  test("lets other jobs end first, and reports them", async () => {
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    await start(
      async ({ input }) => {
        if (input["refresh"] === true) return { refresh_worker: true, error: "refresh me" };
        begun.resolve();
        await mayEnd.promise;
        return "beside";
      },
      { concurrency: 2 },
    );
    const beside = await server.run(endpoint);
    await begun.promise;
    const record = await ended(await server.run(endpoint, { refresh: true }));
    expect(record).toMatchObject({ status: "FAILED", error: "refresh me" });
    mayEnd.resolve();
    await worker.ended;
    expect(await ended(beside)).toMatchObject({ status: "COMPLETED", output: "beside" });
  });
});

test("refresh_worker works over the exchange even if the result itself cannot be stored", async () => {
  // No background job runs while time stands still: there is no process behind this worker.
  const server = await TestServer.start({ clock: new ManualClock() });
  const endpoint = await server.endpoint();
  const nested = JSON.parse("[".repeat(600) + "]".repeat(600));
  const handler = () => ({ refresh_worker: true, nested });
  const worker = await SdkWorker.start(server, endpoint, { handler });
  const { engine } = server.forebay;
  engine.fleet.managed.set(worker.id, {
    endpoint,
    orderedAt: undefined,
    runsSince: 0,
    lastJobAt: engine.clock.now(),
    hasCalled: true,
  });
  const id = await server.run(endpoint);
  await worker.ended;
  expect(await server.status(endpoint, id)).toMatchObject({
    status: "FAILED",
    error: expect.stringContaining("nested"),
  });
  expect([...engine.fleet.toReplace]).toEqual([worker.id]);
  await server.stop();
});
