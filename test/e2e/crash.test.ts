import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endpointFleet } from "../support/endpoint-fleet.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

describe("what is killed loses no job", () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await ServerProcess.start({
      commands: { program: [process.execPath, PROGRAM] },
      // No lease ends within a test: what is handed out again was seen to be lost.
      flags: {
        "ping-interval-ms": "200",
        "drain-grace-ms": "1500",
        "worker-lease-ms": "600000",
        "delivery-lease-ms": "600000",
      },
    });
  });
  afterEach(() => server.stop());

  /** The file for which jobs wait. */
  const go = (): string => join(server.directory, "go");

  /**
   * The record of the job once a worker has it, with the id of the process. That it is handed out is not
   * enough: a worker that is told to end while the answer is on its way gives up the call, and never has it.
   */
  const running = (endpoint: string, job: string) =>
    until(`job ${job} runs`, async () => {
      const record = await server.status(endpoint, job);
      const [pid] = record.workerId === undefined ? [] : server.workerProcesses(record.workerId);
      const lines = record.workerId === undefined ? [] : await server.logOf(endpoint, record.workerId);
      const hasIt = lines.some(({ line }) => line === `runs ${job}`);
      return record.status === "IN_PROGRESS" && hasIt && pid !== undefined && { ...record, pid };
    });

  test("a killed worker: its job is handed out again at once, and counts one loss", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 2, workersMax: 2 });
    await until("two workers are ready", async () => (await server.health(endpoint)).workers.ready === 2);
    const job = await server.run(endpoint, { until: go() });
    const { workerId, pid } = await running(endpoint, job);
    process.kill(pid, "SIGKILL");
    await until("another worker has it", async () => {
      const record = await server.status(endpoint, job);
      return record.status === "IN_PROGRESS" && record.workerId !== workerId;
    });
    writeFileSync(go(), "");
    const record = await server.ended(endpoint, job);
    expect(record).toMatchObject({ status: "COMPLETED", retries: 1 });
    const [told] = server.logged("a worker exited");
    expect(told).toMatchObject({ worker: workerId, reason: "signal SIGKILL", failures: 1 });
  });

  test("a worker that crashes at its start: the waits grow, and health shows it", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 2 }, { MODE: "crash" });
    const unhealthy = async () => (await server.health(endpoint)).workers.unhealthy;
    await until("health shows it", async () => (await unhealthy()) === 2);
    const waits = (): unknown[] => [
      ...new Set(server.logged("a worker exited").map(({ nextStartIn }) => nextStartIn)),
    ];
    await until("the third wait begins", () => waits().includes(2_000));
    const ends = server.logged("a worker exited");
    expect(ends.map(({ reason }) => reason)).toEqual(ends.map(() => "exit code 3"));
    expect(ends.map(({ lastLines }) => lastLines)).toEqual(ends.map(() => "this worker cannot start"));
  });

  test("a crash loop: scaling stops, the record says why, and a changed template ends it", async () => {
    const { json: template } = await server.post("/v1/templates", {
      name: "t",
      imageName: "process/program",
      env: { MODE: "crash" },
    });
    const endpoint = await server.endpoint({ templateId: template.id });
    const job = await server.run(endpoint);
    const fleet = await until("three starts failed", async () => {
      const now = await endpointFleet(server, endpoint);
      return now.state === "CRASH_LOOP" && now;
    });
    expect(fleet.reason).toContain("exit code 3");
    expect(fleet.lastExit).toMatchObject({ how: "exit code 3", lastLines: ["this worker cannot start"] });
    expect(Date.parse(fleet.nextStartAt)).toBeGreaterThan(Date.parse(fleet.lastExit.at));
    expect((await server.health(endpoint)).workers.unhealthy).toBe(1);
    await server.post(`/v1/templates/${template.id}/update`, { env: {} });
    expect((await server.ended(endpoint, job)).status).toBe("COMPLETED");
    // The record follows with the next look at the fleet.
    await until("the fleet runs", async () => (await endpointFleet(server, endpoint)).state === "RUNNING");
  });

  test("a job that kills three workers is FAILED with their exits", async () => {
    const endpoint = await server.commandEndpoint("program");
    const job = await server.run(endpoint, { exit: 9 });
    expect(await server.ended(endpoint, job)).toMatchObject({
      status: "FAILED",
      error:
        "the worker was lost 3 times, the last time because the worker ended " +
        "(exit code 9, exit code 9, exit code 9)",
    });
    const next = await server.run(endpoint);
    expect((await server.ended(endpoint, next)).status).toBe("COMPLETED");
  });

  test("a template whose command is gone: no worker starts, and health shows it", async () => {
    const endpoint = await server.commandEndpoint("program", { idleTimeout: 1 });
    await server.ended(endpoint, await server.run(endpoint));
    await until("no worker runs", () => server.workerProcesses().length === 0);
    await server.terminate();
    server.register({ other: ["true"] });
    await server.startAgain();
    const job = await server.run(endpoint);
    await until("health shows it", async () => (await server.health(endpoint)).workers.unhealthy === 1);
    const [told] = server.logged("a worker could not be started");
    expect(told?.["reason"]).toBe(
      "imageName: process/program is not a registered command. Use process/hello, process/other.",
    );
    await server.terminate();
    server.register({ program: [process.execPath, PROGRAM] });
    await server.startAgain();
    expect(await server.ended(endpoint, job)).toMatchObject({ status: "COMPLETED" });
  });

  test("a stopping server: the running job goes back without a loss, and is done later", async () => {
    const endpoint = await server.commandEndpoint("program");
    const job = await server.run(endpoint, { sleep: 6_000 });
    const { workerId } = await running(endpoint, job);
    await server.terminate();
    await server.startAgain();
    const record = await server.ended(endpoint, job);
    expect(record.status).toBe("COMPLETED");
    expect(record.workerId).not.toBe(workerId);
    expect(record.retries).toBeUndefined();
  });

  test("a stopping server: what a worker finishes in its grace is kept", async () => {
    const endpoint = await server.commandEndpoint("program");
    const job = await server.run(endpoint, { untilToldToEnd: true });
    const { workerId } = await running(endpoint, job);
    await server.terminate();
    await server.startAgain();
    expect(await server.status(endpoint, job)).toMatchObject({ status: "COMPLETED", workerId });
  });

  test("a killed server: its workers are ended at the next start, and the job is done", async () => {
    const endpoint = await server.commandEndpoint("program");
    const job = await server.run(endpoint, { until: go() });
    const { workerId, pid } = await running(endpoint, job);
    await server.kill();
    expect(server.workerProcesses()).toEqual([pid]);
    await server.startAgain();
    await until("that is told", () => server.logged("a worker that had outlived its server was ended")[0]);
    await until("the old process is gone", () => server.workerProcesses(workerId).length === 0);
    const again = await running(endpoint, job);
    expect(again.workerId).not.toBe(workerId);
    expect(server.workerProcesses()).toEqual([again.pid]);
    expect(readdirSync(join(server.directory, "data/workers"))).toEqual([again.workerId]);
    writeFileSync(go(), "");
    expect(await server.ended(endpoint, job)).toMatchObject({ status: "COMPLETED", retries: 1 });
  });

  test("a killed server whose worker died with it: the job is done after the next start", async () => {
    const endpoint = await server.commandEndpoint("program");
    const job = await server.run(endpoint, { until: go() });
    const { pid } = await running(endpoint, job);
    await server.kill();
    process.kill(pid, "SIGKILL");
    writeFileSync(go(), "");
    await server.startAgain();
    expect(await server.ended(endpoint, job)).toMatchObject({ status: "COMPLETED", retries: 1 });
  });

  test("the token of a worker ends with the worker", async () => {
    const endpoint = await server.commandEndpoint("program", { idleTimeout: 1 });
    const { output } = await server.ended(endpoint, await server.run(endpoint));
    const worker = new TestWorker(output.env, output.worker);
    expect((await worker.ping()).status).toBe(200);
    process.kill(output.pid, "SIGKILL");
    await until("its token is refused", async () => (await worker.ping()).json.code === "KEY_UNKNOWN");
  });
});
