import { describe, expect, test } from "bun:test";
import { deleteWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { forgetExpired } from "../../src/engine/sweep.ts";
import { freshServer } from "../support/fresh-server.ts";
import { managedWorker } from "../support/managed-worker.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import type { TestServer } from "../support/test-server.ts";

const DAY = 86_400_000;

const GPUS = [
  { uuid: "GPU-a", name: "NVIDIA L40S" },
  { uuid: "GPU-b", name: "NVIDIA L40S" },
];

describe("issue 19: host, GPUs and GPU seconds of each attempt in the timeline", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  freshServer((fresh) => ({ clock, server, endpoint } = fresh), { isStill: true });

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  const attemptsOf = async (job: string): Promise<any[]> =>
    (await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`)).json.attempts;
  const end = (worker: string) => deleteWorkerToken(server.forebay.engine, worker);

  test("while it runs they count up to now; afterwards they stay, also without the worker", async () => {
    const worker = await managedWorker(server, endpoint, { host: "docker", gpus: GPUS });
    const job = await server.run(endpoint);
    await worker.take();
    await clock.standStill(1_234);
    const place = { workerId: worker.id, version: 3, host: "docker", gpus: GPUS };
    expect(await attemptsOf(job)).toMatchObject([{ ...place, outcome: "RUNNING", gpuSeconds: 2.468 }]);

    await worker.done(job, { output: 1 });
    await clock.standStill(5_000);
    const ended = [{ ...place, outcome: "COMPLETED", gpuSeconds: 2.468 }];
    expect(await attemptsOf(job)).toMatchObject(ended);
    await end(worker.id);
    expect(await server.forebay.engine.store.allocations()).toEqual([]);
    expect(await attemptsOf(job)).toMatchObject(ended);
  });

  test("each attempt has those of its own worker, living or past", async () => {
    const job = await server.run(endpoint);
    const first = await managedWorker(server, endpoint, { host: "docker", gpus: GPUS.slice(0, 1) });
    await first.take();
    await clock.standStill(500);
    await first.done(job, { error: "no" });
    await end(first.id);
    await server.post(`/v2/${endpoint}/retry/${job}`);
    // The same card, for another worker.
    const second = await managedWorker(server, endpoint, { host: "local", gpus: GPUS.slice(0, 1) });
    await second.take();
    await clock.standStill(250);
    expect(await attemptsOf(job)).toMatchObject([
      { workerId: first.id, host: "docker", gpus: GPUS.slice(0, 1), gpuSeconds: 0.5 },
      { workerId: second.id, host: "local", gpus: GPUS.slice(0, 1), gpuSeconds: 0.25 },
    ]);
  });

  test("without GPUs there is the host alone, and on a worker that came by itself nothing", async () => {
    const worker = await managedWorker(server, endpoint, { host: "local", gpus: [] });
    const first = await server.run(endpoint);
    await worker.take();
    await worker.done(first, { output: 1 });
    await end(worker.id);
    const [placed] = await attemptsOf(first);
    expect(placed).toMatchObject({ host: "local" });
    expect(placed).not.toHaveProperty("gpus");
    expect(placed).not.toHaveProperty("gpuSeconds");

    const own = await server.worker(endpoint);
    const job = await server.run(endpoint);
    await own.take();
    await own.done(job, { output: 1 });
    expect((await attemptsOf(job))[0]).not.toHaveProperty("host");
    await server.call("DELETE", `/v1/endpoints/${endpoint}/workers/${own.id}`);
    expect((await attemptsOf(job))[0]).not.toHaveProperty("host");
  });

  test("they are kept as long as a job can be that had the worker, and no longer", async () => {
    const worker = await managedWorker(server, endpoint, { host: "docker", gpus: GPUS });
    await end(worker.id);
    const { store } = server.forebay.engine;
    const kept = async (): Promise<number> => {
      await forgetExpired(server.forebay.engine);
      return (await store.pastWorkers(endpoint, [worker.id])).length;
    };
    // The longest TTL, and then the longest retention that an endpoint can set.
    await clock.standStill(14 * DAY);
    expect(await kept()).toBe(1);
    await clock.standStill(1);
    expect(await kept()).toBe(0);
  });
});
