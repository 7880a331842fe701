import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ChildWorker } from "../support/child-worker.ts";
import { PROTOCOLS } from "../support/sdk-worker.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const PATIENT = join(import.meta.dir, "workers/patient-worker.ts");

describe.each(PROTOCOLS)("a signal to a worker, over the %s protocol", (protocol) => {
  let server: TestServer;
  let endpoint: string;
  let worker: ChildWorker;
  beforeEach(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`);
    worker = new ChildWorker([process.execPath, PATIENT], { ...json.env, FOREBAY_PROTOCOL: protocol });
    await worker.line("takes jobs");
  });
  afterEach(async () => {
    await worker.kill();
    await server.stop();
  });

  test.each(["SIGTERM", "SIGINT"] as const)("%s ends an idle worker at once, in order", async (signal) => {
    worker.signal(signal);
    await worker.line("ended");
    expect(await worker.exit()).toBe(0);
  });

  test("SIGTERM lets running jobs end and report, and takes no other", async () => {
    const running = [await server.run(endpoint), await server.run(endpoint)];
    for (const id of running) await worker.line(`begun ${id}`);
    worker.signal("SIGTERM");
    await worker.line("takes no more jobs");
    const waiting = await server.run(endpoint);
    for (const id of running) {
      worker.tell(id);
      const { json } = await server.get(`/v2/${endpoint}/status-sync/${id}`);
      expect(json).toMatchObject({ status: "COMPLETED", output: expect.stringContaining("done") });
    }
    expect(await worker.exit()).toBe(0);
    expect(await server.status(endpoint, waiting)).toEqual({ id: waiting, status: "IN_QUEUE" });
  });

  test("signals in quick succession count as one: a terminal and a launcher both pass them on", async () => {
    const id = await server.run(endpoint);
    await worker.line(`begun ${id}`);
    worker.signal("SIGINT");
    worker.signal("SIGTERM");
    await worker.line("takes no more jobs");
    worker.tell(id);
    expect(await worker.exit()).toBe(0);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "COMPLETED" });
  });

  test("jobs can be cancelled while the worker drains", async () => {
    const id = await server.run(endpoint);
    await worker.line(`begun ${id}`);
    worker.signal("SIGTERM");
    await worker.line("takes no more jobs");
    await server.post(`/v2/${endpoint}/cancel/${id}`);
    await worker.line(`stopped ${id}: the job was cancelled`);
    expect(await worker.exit()).toBe(0);
  });

  test("a second signal stops the jobs, and the worker ends in order", async () => {
    const id = await server.run(endpoint);
    await worker.line(`begun ${id}`);
    worker.signal("SIGTERM");
    await worker.line("takes no more jobs");
    const first = performance.now();
    await until("the next signal is another one", () => performance.now() - first > 350);
    worker.signal("SIGTERM");
    await worker.line(`stopped ${id}: the worker is being ended`);
    await worker.line("ended");
    expect(await worker.exit()).toBe(0);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_PROGRESS" });
  });
});
