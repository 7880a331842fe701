import { afterEach, beforeEach, expect, test } from "bun:test";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { sweepSilentWorkers } from "../../src/engine/sweep.ts";
import { loseWorker } from "../../src/engine/worker-gone.ts";
import { workerEnvironment } from "../../src/engine/worker-environment.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";
import { TestWorker } from "../support/test-worker.ts";

const SECOND = 1_000;

let clock: ManualClock;
let server: TestServer;
let endpoint: string;
beforeEach(async () => {
  clock = new ManualClock();
  server = await TestServer.start({ clock });
  endpoint = await server.endpoint();
});
afterEach(() => server.stop());

const engine = () => server.forebay.engine;

/** A worker that Forebay started on the host gpu-1, and a job that it runs. */
async function workerWithJob(): Promise<{ worker: TestWorker; job: string }> {
  const own = engine().configuration.get("endpoint", endpoint);
  if (own === undefined) throw new Error("there is an endpoint");
  const kind = { many: false, managed: true, provider: "docker", host: "docker" };
  const created = await createWorkerToken(engine(), own, kind);
  const worker = new TestWorker(workerEnvironment(created, server.url, SECOND), created.record.id);
  const job = await server.run(endpoint);
  expect((await worker.take()).json.id).toBe(job);
  await worker.ping([job]);
  return { worker, job };
}

test("the calls of a worker whose host is lost are refused, also with a late result", async () => {
  const { worker, job } = await workerWithJob();
  await loseWorker(engine(), endpoint, worker.id);
  for (const call of [worker.ping([job]), worker.take(), worker.done(job, { output: "late" })]) {
    expect((await call).status).toBe(401);
  }
  const other = await server.worker(endpoint);
  expect((await other.take()).json.id).toBe(job);
  await worker.done(job, { output: "late" });
  expect((await server.status(endpoint, job)).status).toBe("IN_PROGRESS");
  await other.done(job, { output: "its own" });
  const record = await server.status(endpoint, job);
  expect(record).toMatchObject({ status: "COMPLETED", output: "its own", workerId: other.id });
  expect(record).not.toHaveProperty("retries");
  const { json } = await server.get(`/v1/endpoints/${endpoint}/workers`);
  const lost = json.workers.find(({ id }: { id: string }) => id === worker.id);
  expect(lost).toMatchObject({
    state: "UNHEALTHY",
    reason: expect.stringContaining("Host docker does not answer"),
  });
});

test("silence counts as no loss of the job while the host of the worker does not answer", async () => {
  const { job } = await workerWithJob();
  const away = { since: clock.now(), askedAt: clock.now(), reason: "it cannot be reached" };
  engine().fleet.awayHosts.set("docker", away);
  await clock.advance(20 * SECOND);
  await sweepSilentWorkers(engine());
  const { json } = await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`);
  expect(json.attempts).toMatchObject([
    { outcome: "RETURNED", error: "the host of the worker did not answer" },
  ]);
  expect(await engine().store.job(endpoint, job)).toMatchObject({ state: "IN_QUEUE", losses: 0 });
});
