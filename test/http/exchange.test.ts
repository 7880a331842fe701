import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer } from "../support/answer.ts";
import { freshWorker } from "../support/fresh-server.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import type { TestWorker } from "../support/test-worker.ts";

describe("the exchange", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ server, endpoint, worker } = fresh));

  test("hands out up to take jobs, each with its attempt, as they were submitted", async () => {
    const ids = [
      await server.run(endpoint, { n: 1 }),
      await server.run(endpoint),
      await server.run(endpoint),
    ];
    const { status, json } = await worker.exchange({ take: 2 });
    expect(status).toBe(200);
    expect(json).toEqual({
      jobs: [
        { attempt: 1, job: { id: ids[0], input: { n: 1 } } },
        { attempt: 1, job: { id: ids[1], input: {} } },
      ],
      stop: [],
      ignored: [],
    });
  });

  test("a result with stopPod hands a worker that Forebay started no more jobs, and is stored", async () => {
    // No background job runs while time stands still: there is no process behind this worker.
    const still = await TestServer.start({ clock: new ManualClock() });
    const { engine } = still.forebay;
    const endpoint = await still.endpoint();
    const worker = await still.worker(endpoint);
    const [first, second] = [await still.run(endpoint), await still.run(endpoint)];
    await worker.exchange({ take: 1 });
    engine.fleet.managed.set(worker.id, {
      endpoint,
      orderedAt: undefined,
      runsSince: 0,
      lastJobAt: engine.clock.now(),
      hasCalled: true,
    });
    const results = [{ id: first, attempt: 1, output: 1, stopPod: true }];
    expect((await worker.exchange({ results, take: 1 })).json).toEqual({ jobs: [], stop: [], ignored: [] });
    expect(await still.status(endpoint, first)).toMatchObject({ status: "COMPLETED", output: 1 });
    expect(await still.status(endpoint, second)).toMatchObject({ status: "IN_QUEUE" });
    expect([...engine.fleet.toReplace]).toEqual([worker.id]);
    await still.stop();
  });

  test("keeps the chunks of each attempt in their order, however they are mixed", async () => {
    const [a, b] = [await server.run(endpoint), await server.run(endpoint)];
    await worker.exchange({ take: 2 });
    const chunk = (id: string, output: number, attempt = 1) => ({ id, attempt, output });
    const chunks = [chunk(a, 1), chunk(b, 1), chunk(a, 2), chunk(a, 9, 2), chunk(b, 2), chunk(a, 3)];
    expect((await worker.exchange({ alive: [a, b], chunks })).json.ignored).toEqual([a]);
    const read = async (id: string) => (await server.get(`/v2/${endpoint}/stream/${id}`)).json;
    expect(await read(a)).toEqual([{ output: 1 }, { output: 2 }, { output: 3 }]);
    expect(await read(b)).toEqual([{ output: 1 }, { output: 2 }]);
  });

  test("stores chunks, progress and results, and hands out the next job in the same answer", async () => {
    const [first, second] = [await server.run(endpoint), await server.run(endpoint)];
    await worker.exchange({ take: 1 });
    const begun = await worker.exchange({
      alive: [first],
      chunks: [
        { id: first, attempt: 1, output: "a" },
        { id: first, attempt: 1, output: "b" },
      ],
      progress: [{ id: first, attempt: 1, value: { step: 1 } }],
    });
    expect(begun.json).toEqual({ jobs: [], stop: [], ignored: [] });
    expect((await server.get(`/sdk/v2/${endpoint}/status/${first}`)).json).toMatchObject({
      status: "IN_PROGRESS",
      output: { step: 1 },
    });
    const ended = await worker.exchange({ results: [{ id: first, attempt: 1, output: [1] }], take: 1 });
    expect(ended.json.jobs).toEqual([{ attempt: 1, job: { id: second, input: {} } }]);
    expect(await server.status(endpoint, first)).toMatchObject({ status: "COMPLETED", output: [1] });
    const chunks = await server.get(`/v2/${endpoint}/stream/${first}`);
    expect(chunks.json).toEqual([{ output: "a" }, { output: "b" }]);
  });

  test("the newest progress counts, also within one call", async () => {
    const id = await server.run(endpoint);
    await worker.exchange({ take: 1 });
    const of = (value: unknown) => ({ id, attempt: 1, value });
    await worker.exchange({ progress: [of(1), of("zwei – 二")] });
    expect((await server.get(`/sdk/v2/${endpoint}/status/${id}`)).json.output).toBe("zwei – 二");
    await worker.exchange({ progress: [of(null)] });
    expect((await server.get(`/sdk/v2/${endpoint}/status/${id}`)).json.output).toBeNull();
  });

  test("what is said of another attempt changes nothing, and the answer names the job", async () => {
    const id = await server.run(endpoint);
    await worker.exchange({ take: 1 });
    for (const entries of [
      { chunks: [{ id, attempt: 2, output: 1 }] },
      { progress: [{ id, attempt: 2, value: 1 }] },
      { results: [{ id, attempt: 2, output: 1 }] },
    ]) {
      expect((await worker.exchange({ alive: [id], ...entries })).json.ignored).toEqual([id]);
    }
    const record = await server.get(`/sdk/v2/${endpoint}/status/${id}`);
    expect(record.json).toEqual({
      id,
      status: "IN_PROGRESS",
      delayTime: expect.any(Number),
      workerId: worker.id,
    });
  });

  test("R12, R13: late, duplicate and foreign results are counted, named, and change nothing", async () => {
    const other = await server.worker(endpoint);
    const id = await server.run(endpoint);
    await worker.exchange({ take: 1 });
    const result = (output: string, attempt = 1) => ({ results: [{ id, attempt, output }] });
    expect((await other.exchange(result("foreign"))).json.ignored).toEqual([id]);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_PROGRESS" });
    expect((await worker.exchange(result("right"))).json.ignored).toEqual([]);
    expect((await worker.exchange(result("again"))).json.ignored).toEqual([id]);
    expect((await worker.exchange(result("late", 2))).json.ignored).toEqual([id]);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "COMPLETED", output: "right" });
    expect((await server.forebay.engine.store.counts(endpoint))?.ignored).toBe(3);
  });

  test.each([
    ["a body that is not an object", "[]"],
    ["a list that is none", '"progress":{}'],
    ["an entry without id", '"progress":[{"attempt":1,"value":1}]'],
    ["an entry without attempt", '"progress":[{"id":"x","value":1}]'],
    ["progress without value", '"progress":[{"id":"x","attempt":1}]'],
    ["more jobs than there may be", '"take":1001'],
    ["a wait that is no integer", '"wait":1.5'],
  ])("%s is refused, and nothing of the call has happened", async (_name, wrong) => {
    const id = await server.run(endpoint);
    await worker.exchange({ take: 1 });
    // What comes with it is right, and would end the job.
    const result = `"results":[{"id":"${id}","attempt":1,"output":1}]`;
    const body = wrong === "[]" ? wrong : `{${result},${wrong}}`;
    expect((await worker.exchange(body)).json).toMatchObject({ code: "INVALID_FIELD", status: 400 });
    expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_PROGRESS" });
  });
});

test("large chunks and progress that change nothing leave no file behind", async () => {
  const data = await mkdtemp(join(tmpdir(), "forebay-"));
  const server = await TestServer.start({ flags: { data } });
  const endpoint = await server.endpoint();
  const worker = await server.worker(endpoint);
  const id = await server.run(endpoint);
  await worker.exchange({ take: 1 });
  const large = "x".repeat(100_000);
  await worker.exchange({ chunks: [{ id, attempt: 2, output: large }] });
  await worker.exchange({ progress: [{ id, attempt: 2, value: large }] });
  expect(await readdir(join(data, "payloads"))).toEqual([]);
  await worker.exchange({ chunks: [{ id, attempt: 1, output: large }] });
  expect(await readdir(join(data, "payloads"))).toHaveLength(1);
  await server.stop();
  await rm(data, { recursive: true });
});

describe("an exchange that waits", () => {
  const clock = new ManualClock();
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  let job: string;
  beforeEach(async () => {
    server = await TestServer.start({ clock });
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
    job = await server.run(endpoint);
    await worker.exchange({ take: 1 });
  });
  afterEach(() => server.stop());

  /** Fails if the call has been answered by the time that later calls have been. */
  async function expectHeld(call: Promise<Answer>): Promise<void> {
    let isAnswered = false;
    void call.then(() => (isAnswered = true));
    for (let later = 0; later < 5; later++) await server.get("/healthz");
    expect(isAnswered).toBe(false);
  }

  test("is held a ping interval at most, whatever it asks for", async () => {
    const call = worker.exchange({ alive: [job], take: 1, wait: 60_000 });
    // Before it has arrived its hold has not begun.
    const { parkedTakes } = server.forebay.engine;
    await until("the call waits", () => parkedTakes.endpoints().includes(endpoint));
    await clock.advance(2_999);
    await expectHeld(call);
    await clock.advance(1);
    expect((await call).json).toEqual({ jobs: [], stop: [], ignored: [] });
  });

  test("is answered at once when a job comes, or when one of its jobs is to stop", async () => {
    const forJob = worker.exchange({ alive: [job], take: 1, wait: 60_000 });
    await expectHeld(forJob);
    const next = await server.run(endpoint);
    expect((await forJob).json.jobs).toEqual([{ attempt: 1, job: { id: next, input: {} } }]);
    const forStop = worker.exchange({ alive: [job, next], wait: 60_000 });
    await expectHeld(forStop);
    await server.post(`/v2/${endpoint}/cancel/${job}`);
    expect((await forStop).json).toEqual({ jobs: [], stop: [job], ignored: [] });
  });

  test("a worker that is slow to stop is not asked again before a stop hold is over", async () => {
    await server.post(`/v2/${endpoint}/cancel/${job}`);
    expect((await worker.exchange({ alive: [job], take: 1, wait: 60_000 })).json.stop).toEqual([job]);
    const call = worker.exchange({ alive: [job], take: 1, wait: 60_000 });
    await expectHeld(call);
    await clock.advance(2_999);
    await expectHeld(call);
    await clock.advance(1);
    expect((await call).json.stop).toEqual([job]);
  });

  test("goes on waiting when another call of the worker brings a result", async () => {
    const call = worker.exchange({ alive: [job], take: 1, wait: 60_000 });
    await expectHeld(call);
    await worker.exchange({ results: [{ id: job, attempt: 1, output: 1 }] });
    await expectHeld(call);
    const next = await server.run(endpoint);
    expect((await call).json.jobs).toEqual([{ attempt: 1, job: { id: next, input: {} } }]);
  });

  test("is answered when the worker waits with another call, which gets what comes", async () => {
    const earlier = worker.exchange({ alive: [job], wait: 60_000 });
    await expectHeld(earlier);
    const later = worker.exchange({ alive: [job], take: 1, wait: 60_000 });
    expect((await earlier).json).toEqual({ jobs: [], stop: [], ignored: [] });
    await expectHeld(later);
    const next = await server.run(endpoint);
    expect((await later).json.jobs).toEqual([{ attempt: 1, job: { id: next, input: {} } }]);
  });
});
