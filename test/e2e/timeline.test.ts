import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cardUuid, CARD_NAME, ScriptedDriver } from "../support/scripted-driver.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

describe("design row 23: the timeline of a job on workers that Forebay starts", () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await ServerProcess.start({
      commands: { program: [process.execPath, PROGRAM] },
      flags: { "ping-interval-ms": "200", "drain-grace-ms": "500" },
    });
  });
  afterEach(() => server.stop());

  const timelineOf = async (endpoint: string, job: string) =>
    (await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`)).json;

  test("has how long its worker took to start, and not for the next job", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMax: 1, idleTimeout: 60 });
    const job = await server.run(endpoint);
    const { attempts } = await until("the start is told", async () => {
      const timeline = await timelineOf(endpoint, job);
      return timeline.attempts[0]?.coldStart !== undefined && timeline;
    });
    const { coldStart, startedAt, version } = attempts[0];
    expect(version).toBe(1);
    expect(coldStart).toEqual({
      wantedAt: expect.stringMatching(/Z$/),
      bootMs: expect.any(Number),
      firstPollMs: expect.any(Number),
    });
    const called = Date.parse(coldStart.wantedAt) + coldStart.bootMs + coldStart.firstPollMs;
    expect(called).toBeLessThanOrEqual(Date.parse(startedAt));
    await server.ended(endpoint, job);

    const next = await server.run(endpoint);
    await server.ended(endpoint, next);
    expect((await timelineOf(endpoint, next)).attempts[0]).not.toHaveProperty("coldStart");
    // What was kept outlives the worker and the server.
    await server.kill();
    await server.startAgain();
    expect((await timelineOf(endpoint, job)).attempts[0].coldStart).toEqual(coldStart);
  });

  test("has how each worker ended that was lost with it", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMax: 1 });
    const job = await server.run(endpoint, { exit: 7 });
    await server.ended(endpoint, job);
    const { attempts } = await timelineOf(endpoint, job);
    const exit = { code: 7, reason: "exit code 7" };
    expect(attempts).toMatchObject([
      { outcome: "LOST", error: "the worker ended", exit },
      { outcome: "LOST", error: "the worker ended", exit },
      { outcome: "LOST", error: expect.stringMatching(/^the worker was lost 3 times/), exit },
    ]);
    expect(new Set(attempts.map(({ workerId }: { workerId: string }) => workerId)).size).toBe(3);
  });

  test("a job on workers that cannot start has how the last one ended, with its last logs", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMax: 1 }, { MODE: "crash" });
    const job = await server.run(endpoint);
    const { reason } = await until("it is a crash loop", async () => {
      const timeline = await timelineOf(endpoint, job);
      return timeline.reason?.message.startsWith("Workers exit before they connect") && timeline;
    });
    expect(reason.code).toBe("CRASH_LOOP");
    expect(reason.message).toContain("exit code 3");
    expect(reason.lastLines).toContain("this worker cannot start");
    // What workers print is for those who can read logs.
    const key = (await server.post("/v1/keys", { name: "reader", scopes: ["read"] })).json.key;
    const reader = { authorization: `Bearer ${key}` };
    for (const path of [`/v1/endpoints/${endpoint}/jobs/${job}`, `/v1/endpoints/${endpoint}/statistics`]) {
      const { status, json } = await server.get(path, reader);
      expect([status, JSON.stringify(json).includes("cannot start")]).toEqual([200, false]);
    }
    await server.post(`/v2/${endpoint}/cancel/${job}`);
  });

  test("a job behind a busy worker says that no more workers are allowed", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMax: 1 });
    const first = await server.run(endpoint, { sleep: 60_000 });
    const second = await server.run(endpoint);
    const timeline = await until("the first one runs", async () => {
      const found = await timelineOf(endpoint, second);
      return found.reason.code === "AT_MAXIMUM" && found;
    });
    expect(timeline.position).toBe(1);
    for (const job of [first, second]) await server.post(`/v2/${endpoint}/cancel/${job}`);
  });
});

test("issue 19: host, GPUs and GPU seconds of an attempt outlive its worker, and the server", async () => {
  using driver = new ScriptedDriver(2);
  const server = await ServerProcess.start({
    commands: { program: [process.execPath, PROGRAM] },
    flags: { "ping-interval-ms": "200", "drain-grace-ms": "500" },
    env: driver.env,
  });
  try {
    const endpoint = await server.commandEndpoint("program", { workersMax: 1, gpuCount: 2 });
    const job = await server.run(endpoint, { sleep: 300 });
    const { workerId } = await server.ended(endpoint, job);
    const attempt = async () => (await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`)).json.attempts[0];
    const { startedAt, endedAt, ...before } = await attempt();
    const ran = Date.parse(endedAt) - Date.parse(startedAt);
    const gpus = [0, 1].map((index) => ({ uuid: cardUuid(index), name: CARD_NAME }));
    expect(before).toMatchObject({ workerId, host: "local", gpus, gpuSeconds: (2 * ran) / 1_000 });
    expect(ran).toBeGreaterThanOrEqual(300);

    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { workersMax: 0 });
    await until("its GPUs are free", async () => {
      const { json } = await server.get("/v1/hosts/local");
      return json.gpus.every(({ state }: { state: string }) => state === "FREE");
    });
    expect(await attempt()).toMatchObject(before);
    await server.kill();
    await server.startAgain();
    expect(await attempt()).toMatchObject(before);
  } finally {
    await server.stop();
  }
});
