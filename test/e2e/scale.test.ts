import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { endpointFleet } from "../support/endpoint-fleet.ts";
import { ServerProcess } from "../support/server-process.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { until } from "../support/until.ts";

const REFRESHING = join(import.meta.dir, "../sdk/workers/refreshing-worker.ts");
const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

describe("the fleet follows the queue", () => {
  let server: ServerProcess;
  let directory: TemporaryDirectory;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    server = await ServerProcess.start({
      commands: {
        program: [process.execPath, PROGRAM],
        refreshing: [process.execPath, REFRESHING],
        gated: [
          "sh",
          "-c",
          `until [ -e "$0" ]; do sleep 0.01; done; exec "$@"`,
          gate(),
          process.execPath,
          PROGRAM,
        ],
      },
      flags: { "ping-interval-ms": "200", "drain-grace-ms": "500" },
    });
  });
  afterEach(async () => {
    await server.stop();
    await directory[Symbol.asyncDispose]();
  });

  /** The file for which a worker of the command `gated` waits. */
  const gate = (): string => join(directory.path, "gate");
  /** The file for which jobs wait. */
  const go = (): string => join(directory.path, "go");
  const inProgress = (endpoint: string, count: number) =>
    until(`${count} jobs run`, async () => (await server.health(endpoint)).jobs.inProgress === count);
  const ended = (endpoint: string, jobs: readonly string[]) =>
    Promise.all(jobs.map((job) => server.ended(endpoint, job)));

  test("REQUEST_COUNT: from no worker to workersMax and back to none", async () => {
    const limits = { workersMax: 2, idleTimeout: 1, scalerType: "REQUEST_COUNT", scalerValue: 1 };
    const endpoint = await server.commandEndpoint("program", limits);
    expect(server.workerProcesses()).toEqual([]);
    const jobs = await Promise.all(Array.from({ length: 5 }, () => server.run(endpoint, { until: go() })));
    await inProgress(endpoint, 2);
    expect(server.workerProcesses().length).toBe(2);
    const { workers } = await server.health(endpoint);
    expect(workers.throttled).toBeGreaterThan(0);
    await writeFile(go(), "");
    const records = await ended(endpoint, jobs);
    expect(records.map(({ status }) => status)).toEqual(jobs.map(() => "COMPLETED"));
    expect(new Set(records.map(({ workerId }) => workerId)).size).toBe(2);
    await until("no worker runs", () => server.workerProcesses().length === 0);
    await until("health counts none", async () => {
      const health = await server.health(endpoint);
      return Object.values(health.workers).every((count) => count === 0);
    });
    expect(server.logged("a worker exited")).toEqual([]);
  });

  test("QUEUE_DELAY: one worker at once, more for jobs that wait too long, and back to none", async () => {
    const limits = { idleTimeout: 1, scalerType: "QUEUE_DELAY", scalerValue: 1 };
    const endpoint = await server.commandEndpoint("program", limits);
    const end = join(directory.path, "end");
    const waitingFor = [go(), go(), go(), end];
    const jobs = await Promise.all(waitingFor.map((file) => server.run(endpoint, { until: file })));
    await inProgress(endpoint, 3);
    await writeFile(go(), "");
    const fleet = await until("one goes on", async () => {
      const now = await endpointFleet(server, endpoint);
      return now.state === "RUNNING" && now;
    });
    expect(fleet.coldStartMs).toBeGreaterThan(0);
    await writeFile(end, "");
    const records = await ended(endpoint, jobs);
    expect(records.map(({ status }) => status)).toEqual(jobs.map(() => "COMPLETED"));
    // The first worker came for the first job; the others when the jobs behind it had waited for a second.
    const waits = records.map(({ delayTime }) => delayTime).toSorted((a, b) => a - b);
    expect(waits.slice(1).every((wait) => wait > 1_000)).toBe(true);
    expect(new Set(records.map(({ workerId }) => workerId)).size).toBe(3);
    await until("no worker runs", () => server.workerProcesses().length === 0);
    await until("it is idle", async () => (await endpointFleet(server, endpoint)).state === "IDLE");
    expect(server.logged("a worker exited")).toEqual([]);
  });

  test("why a job waits: workers are starting, as many run as may, the endpoint is paused", async () => {
    const limits = { workersMax: 1, scalerType: "REQUEST_COUNT", scalerValue: 1 };
    const endpoint = await server.commandEndpoint("gated", limits);
    const jobs = [await server.run(endpoint, { sleep: 60_000 }), await server.run(endpoint)];
    const fleet = () => endpointFleet(server, endpoint);
    await until("it starts", async () => (await fleet()).reason === "Workers are starting.");
    await writeFile(gate(), "");
    const reason = "The endpoint has workersMax workers: 1.";
    await until("there may be no more", async () => (await fleet()).reason === reason);
    expect((await fleet()).state).toBe("AT_MAXIMUM");
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { isPaused: true });
    expect((await fleet()).reason).toStartWith("The endpoint is paused");
    for (const job of jobs) await server.post(`/v2/${endpoint}/cancel/${job}`);
  });

  test("a paused endpoint takes jobs in, ends its workers after their jobs, and goes on", async () => {
    const limits = { workersMin: 1, workersMax: 2, scalerType: "REQUEST_COUNT", scalerValue: 1 };
    const endpoint = await server.commandEndpoint("program", limits);
    const outside = await server.worker(endpoint);
    const isRunning = async (job: string) => (await server.status(endpoint, job)).status === "IN_PROGRESS";
    const running = await server.run(endpoint, { sleep: 1_000 });
    await until("it runs", () => isRunning(running));
    const pause = await server.call("PATCH", `/v1/endpoints/${endpoint}`, { isPaused: true });
    expect(pause.json).toMatchObject({ isPaused: true, fleet: { state: "PAUSED" } });
    const waiting = await server.run(endpoint);
    const taking = outside.take();
    expect((await server.ended(endpoint, running)).status).toBe("COMPLETED");
    await until("no worker runs", () => server.workerProcesses().length === 0);
    expect((await server.status(endpoint, waiting)).status).toBe("IN_QUEUE");
    expect((await server.health(endpoint)).workers.ready).toBe(0);
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { isPaused: false });
    // The call was held all the time, and gets the job at once.
    expect((await taking).json.id).toBe(waiting);
    await until("a worker runs", () => server.workerProcesses().length === 1);
    await server.post(`/v2/${endpoint}/cancel/${waiting}`);
  });

  test("workersMin keeps running without a job, and reads as initializing before it is ready", async () => {
    const endpoint = await server.commandEndpoint("gated", { workersMin: 1, idleTimeout: 1 });
    await until("it initializes", async () => (await server.health(endpoint)).workers.initializing === 1);
    await writeFile(gate(), "");
    await until("it is ready", async () => (await server.health(endpoint)).workers.ready === 1);
    const [before] = server.workerProcesses();
    await server.ended(endpoint, await server.run(endpoint, { sleep: 1_500 }));
    expect(server.workerProcesses()).toEqual([before ?? 0]);
    expect((await server.health(endpoint)).workers.initializing).toBe(0);
  });

  test("2.2 lowPriority: such a job makes no worker start, and is served when one has started", async () => {
    const endpoint = await server.commandEndpoint("program");
    const low = await server.run(endpoint, {}, { policy: { lowPriority: true } });
    const { workers } = await server.health(endpoint);
    expect(workers).toEqual({
      idle: 0,
      running: 0,
      ready: 0,
      initializing: 0,
      throttled: 0,
      unhealthy: 0,
    });
    const usual = await server.run(endpoint);
    const records = await ended(endpoint, [low, usual]);
    expect(records.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED"]);
    expect(records[0].workerId).toBe(records[1].workerId);
  });

  test("a worker that asks for it is replaced by a fresh process, never beside it", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 1, workersMax: 1 });
    const first = await server.ended(endpoint, await server.run(endpoint, { refresh: true }));
    const second = await server.ended(endpoint, await server.run(endpoint, {}));
    expect([first.status, second.status]).toEqual(["COMPLETED", "COMPLETED"]);
    expect(second.workerId).not.toBe(first.workerId);
    expect(second.output.pid).not.toBe(first.output.pid);
    expect(server.workerProcesses()).toEqual([second.output.pid]);
    expect(server.logged("a worker exited")).toEqual([]);
  });

  test.each(["exchange", "public"])(
    "a worker of our own library that asks for it is replaced by a fresh process (%s protocol)",
    async (protocol) => {
      const limits = { workersMax: 1 };
      const endpoint = await server.commandEndpoint("refreshing", limits, { FOREBAY_PROTOCOL: protocol });
      const jobs = await Promise.all([1, 2, 3].map(() => server.run(endpoint)));
      const records = await ended(endpoint, jobs);
      expect(records.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED", "COMPLETED"]);
      expect(new Set(records.map(({ output }) => output.pid)).size).toBe(3);
      expect(records.map(({ retries }) => retries)).toEqual([undefined, undefined, undefined]);
      expect(server.logged("a worker exited")).toEqual([]);
    },
  );

  test("a worker that goes on with a cancelled job is killed, and its other job goes out again", async () => {
    const limits = { workersMin: 1, workersMax: 1 };
    const endpoint = await server.commandEndpoint("program", limits, { JOBS: "2", MODE: "deaf" });
    const ignoring = await server.run(endpoint, { sleep: 60_000, ignoresStop: true });
    const other = await server.run(endpoint, { until: go() });
    const isRunning = async (job: string) => (await server.status(endpoint, job)).status === "IN_PROGRESS";
    await until("both run", async () => (await isRunning(ignoring)) && (await isRunning(other)));
    const { workerId } = await server.status(endpoint, other);
    await server.post(`/v2/${endpoint}/cancel/${ignoring}`);
    await until("it is killed", () => server.workerProcesses(workerId).length === 0);
    await writeFile(go(), "");
    const record = await server.ended(endpoint, other);
    expect(record.status).toBe("COMPLETED");
    expect(record.workerId).not.toBe(workerId);
    // It was the server that ended the worker: that counts as no loss of the job.
    expect(record.retries).toBeUndefined();
    expect((await server.status(endpoint, ignoring)).status).toBe("CANCELLED");
  });

  test("a worker that stops a cancelled job keeps running", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 1, workersMax: 1 });
    const job = await server.run(endpoint, { sleep: 60_000 });
    await until("it runs", async () => (await server.status(endpoint, job)).status === "IN_PROGRESS");
    const { workerId } = await server.status(endpoint, job);
    await server.post(`/v2/${endpoint}/cancel/${job}`);
    const next = await server.ended(endpoint, await server.run(endpoint, { sleep: 2_000 }));
    expect(next.workerId).toBe(workerId);
    expect(server.logged("a worker that does not stop an ended job is killed")).toEqual([]);
  });

  test("the workers of a deleted endpoint end", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 2 });
    await until("two workers are ready", async () => (await server.health(endpoint)).workers.ready === 2);
    expect((await server.call("DELETE", `/v1/endpoints/${endpoint}`)).status).toBe(204);
    await until("none is left", () => server.workerProcesses().length === 0);
  });

  test("a worker that does not hear SIGTERM is killed after its grace", async () => {
    const limits = { workersMax: 1, idleTimeout: 1 };
    const endpoint = await server.commandEndpoint("program", limits, { MODE: "deaf" });
    const job = await server.run(endpoint);
    const { workerId } = await server.ended(endpoint, job);
    await until("none is left", () => server.workerProcesses().length === 0);
    const lines = await until("its end is told", async () => {
      const read = (await server.logOf(endpoint, workerId)).map(({ line }) => line);
      return read.includes("told to end") && read;
    });
    expect(lines).toEqual(["a worker starts", `runs ${job}`, "told to end"]);
  });
});
