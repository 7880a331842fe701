import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { endpointFleet } from "../support/endpoint-fleet.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

/** For a release with three starts that fail. */
const LIMIT = 60_000;

describe("a release", () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await ServerProcess.start({
      commands: {
        program: [process.execPath, PROGRAM],
        next: [process.execPath, PROGRAM, "next"],
        broken: ["sh", "-c", "echo no model; exit 7"],
      },
      flags: { "ping-interval-ms": "200", "drain-grace-ms": "5000" },
    });
  });
  afterEach(() => server.stop());

  const BUSY = { workersMax: 3, scalerType: "REQUEST_COUNT", scalerValue: 1, idleTimeout: 30 };
  const update = async (endpoint: string, changes: object) => {
    const { templateId } = (await server.get(`/v1/endpoints/${endpoint}`)).json;
    expect((await server.post(`/v1/templates/${templateId}/update`, changes)).status).toBe(200);
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  const releasesOf = async (endpoint: string): Promise<any[]> =>
    (await server.get(`/v1/endpoints/${endpoint}/releases`)).json.releases;
  const newestIs = (endpoint: string, state: string) =>
    until(
      `the newest release is ${state}`,
      async () => (await releasesOf(endpoint))[0].state === state,
      LIMIT,
    );
  const timelineOf = async (endpoint: string, job: string) =>
    (await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`)).json;

  /** Keeps jobs coming until it is told to stop; then all have ended, each at its first attempt. */
  function load(endpoint: string) {
    const jobs: string[] = [];
    const over = new AbortController();
    const submitting = (async () => {
      while (!over.signal.aborted) {
        jobs.push(await server.run(endpoint, { sleep: 30 }));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    return async () => {
      over.abort();
      await submitting;
      for (const job of jobs) await server.ended(endpoint, job);
      const timelines = await Promise.all(jobs.map((job) => timelineOf(endpoint, job)));
      expect(timelines.filter(({ status, attempt }) => status !== "COMPLETED" || attempt !== 1)).toEqual([]);
      return timelines;
    };
  }

  test("4.B.2 rolling release: an update under load replaces all workers, no job is lost", async () => {
    const endpoint = await server.commandEndpoint("program", { ...BUSY, workersMin: 3 });
    const stop = load(endpoint);
    await newestIs(endpoint, "COMPLETE");
    await until("three workers run", () => server.workerProcesses().length === 3);
    let most = 0;
    const watching = setInterval(() => (most = Math.max(most, server.workerProcesses().length)), 20);
    await update(endpoint, { imageName: "process/next" });
    await newestIs(endpoint, "COMPLETE");
    clearInterval(watching);
    const timelines = await stop();
    expect(most).toBeLessThanOrEqual(4);
    expect(new Set(timelines.map(({ version }) => version))).toEqual(new Set([1, 2]));
    const last = await server.ended(endpoint, await server.run(endpoint));
    expect(last.output.argv).toEqual(["next"]);
    expect(last.workerId).toEndWith("_2");
    expect((await releasesOf(endpoint)).map(({ version, state }) => [version, state])).toEqual([
      [2, "COMPLETE"],
      [1, "REPLACED"],
    ]);
    expect(server.logged("a worker exited")).toEqual([]);
    expect(server.workerProcesses().length).toBe(3);
  });

  test("a version that cannot start is stopped and says why; the earlier one serves on", async () => {
    const endpoint = await server.commandEndpoint("program", { ...BUSY, workersMin: 2 });
    await until("two are ready", async () => (await server.health(endpoint)).workers.ready === 2);
    await newestIs(endpoint, "COMPLETE");
    const before = server.workerProcesses().toSorted();
    const stop = load(endpoint);
    await update(endpoint, { imageName: "process/broken" });
    await newestIs(endpoint, "STOPPED");
    expect(server.workerProcesses()).toEqual(expect.arrayContaining(before));
    const [stopped] = await releasesOf(endpoint);
    expect(stopped.stopped.lastExit).toMatchObject({ how: "exit code 7", lastLines: ["no model"] });
    const fleet = await endpointFleet(server, endpoint);
    expect(fleet.reason).toStartWith(
      "Release 2 was stopped: its workers exited before they connected. The last exit: exit code 7. " +
        "Version 1 keeps running",
    );
    // More of the earlier version can come.
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { workersMin: 3 });
    await until("three serve", async () => {
      const { workers } = await server.health(endpoint);
      return workers.idle + workers.running === 3;
    });
    const versions = (await stop()).map(({ version }) => version);
    expect(new Set(versions)).toEqual(new Set([1]));
    expect(server.logged("a release was stopped: its workers exited before they connected")).toHaveLength(1);
    await update(endpoint, { imageName: "process/next" });
    await newestIs(endpoint, "COMPLETE");
    expect((await endpointFleet(server, endpoint)).reason).toBeUndefined();
  });

  test("rolling back brings an earlier version back, and a restart changes nothing of that", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 1 });
    await newestIs(endpoint, "COMPLETE");
    await update(endpoint, { imageName: "process/next" });
    await newestIs(endpoint, "COMPLETE");
    const back = await server.post(`/v1/endpoints/${endpoint}/releases`, { version: 1 });
    expect(back.json).toMatchObject({ version: 3, rollbackTo: 1, imageName: "process/program" });
    await newestIs(endpoint, "COMPLETE");
    await server.kill();
    await server.startAgain();
    const job = await server.run(endpoint);
    expect((await server.ended(endpoint, job)).output.argv).toEqual([]);
    expect(await timelineOf(endpoint, job)).toMatchObject({ version: 3, attempt: 1, retries: 0 });
    expect((await server.get(`/v1/endpoints/${endpoint}`)).json.version).toBe(3);
  });

  test("R30: a server that is killed in the middle of a release goes on with the last version", async () => {
    const endpoint = await server.commandEndpoint("program", { ...BUSY, workersMin: 3 });
    await newestIs(endpoint, "COMPLETE");
    const jobs = await Promise.all(Array.from({ length: 60 }, () => server.run(endpoint, { sleep: 100 })));
    await update(endpoint, { imageName: "process/next" });
    await until("a new one has called", async () => (await releasesOf(endpoint))[0].servedAt !== undefined);
    await server.kill();
    await server.startAgain();
    await update(endpoint, { env: { LAST: "yes" } });
    const records = await Promise.all(jobs.map((job) => server.ended(endpoint, job)));
    expect(records.filter(({ status }) => status !== "COMPLETED")).toEqual([]);
    await newestIs(endpoint, "COMPLETE");
    const last = await server.ended(endpoint, await server.run(endpoint));
    expect([last.output.env.LAST, last.output.argv]).toEqual(["yes", ["next"]]);
    expect(last.workerId).toEndWith("_3");
    await until("three workers run", () => server.workerProcesses().length === 3);
  });

  test("paused half way both versions serve, over a kill as well; resumed it completes", async () => {
    const endpoint = await server.commandEndpoint("program", { ...BUSY, workersMin: 3 });
    await newestIs(endpoint, "COMPLETE");
    await until("three are ready", async () => (await server.health(endpoint)).workers.ready === 3);
    const release = `/v1/endpoints/${endpoint}/releases/2`;
    // The first one that the release replaces holds its place until its job is over.
    const long = await Promise.all(Array.from({ length: 3 }, () => server.run(endpoint, { sleep: 1_500 })));
    await until("they run", async () => (await server.health(endpoint)).jobs.inProgress === 3);
    await update(endpoint, { imageName: "process/next" });
    await until("a new one has called", async () => (await releasesOf(endpoint))[0].servedAt !== undefined);
    expect((await server.call("PATCH", release, { isPaused: true })).json.state).toBe("PAUSED");
    for (const job of long) await server.ended(endpoint, job);
    const versionsNow = async (): Promise<(number | undefined)[]> => {
      const { workers } = (await server.get(`/v1/endpoints/${endpoint}/workers`)).json;
      const staying = workers.filter(({ state }: { state: string }) => state !== "DRAINING");
      return staying.map(({ version }: { version?: number }) => version).toSorted();
    };
    const settled = () =>
      until("the workers that were replaced have ended", async () => {
        const count = (await versionsNow()).length;
        return count >= 3 && server.workerProcesses().length === count && versionsNow();
      });
    const before = await settled();
    expect(new Set(before)).toEqual(new Set([1, 2]));

    const stop = load(endpoint);
    const served = new Set<number>();
    await until("workers of both versions have had jobs", async () => {
      const { workers } = (await server.get(`/v1/endpoints/${endpoint}/workers`)).json;
      for (const { version, jobs } of workers) if (jobs.length > 0) served.add(version);
      return served.size === 2;
    });
    expect(new Set((await stop()).map(({ version }) => version))).toEqual(new Set([1, 2]));
    expect(await versionsNow()).toEqual(before);

    for (const end of [() => server.kill(), () => server.terminate()]) {
      await end();
      await server.startAgain();
      expect((await releasesOf(endpoint))[0].state).toBe("PAUSED");
      expect(
        await until(
          "as many of each run",
          async () => {
            const versions = await versionsNow();
            return String(versions) === String(before) && versions;
          },
          LIMIT,
        ),
      ).toEqual(before);
    }
    expect((await server.call("PATCH", release, { isPaused: false })).json.state).toBe("ROLLING");
    await newestIs(endpoint, "COMPLETE");
    await until("all are of the second", async () => new Set(await versionsNow()).size === 1);
  });

  test("a busy worker finishes its job, idle ones end at once, and no job goes to an old one", async () => {
    const endpoint = await server.commandEndpoint("program", {
      workersMax: 1,
      releaseSurge: 1,
      idleTimeout: 30,
    });
    const go = join(server.directory, "go");
    const long = await server.run(endpoint, { until: go });
    await until("it runs", async () => (await server.status(endpoint, long)).status === "IN_PROGRESS");
    await update(endpoint, { imageName: "process/next" });
    await until("one more runs", () => server.workerProcesses().length === 2);
    await until("the new one has called", async () => (await releasesOf(endpoint))[0].servedAt !== undefined);
    const next = await server.ended(endpoint, await server.run(endpoint));
    expect(next.output.argv).toEqual(["next"]);
    expect((await server.status(endpoint, long)).status).toBe("IN_PROGRESS");
    writeFileSync(go, "");
    expect(await server.ended(endpoint, long)).toMatchObject({ status: "COMPLETED", output: { argv: [] } });
    expect(await timelineOf(endpoint, long)).toMatchObject({ attempt: 1, version: 1 });
    await newestIs(endpoint, "COMPLETE");
  });

  test("without a surge an old worker goes first", async () => {
    const limits = { ...BUSY, workersMin: 2, workersMax: 2, releaseSurge: 0 };
    const endpoint = await server.commandEndpoint("program", limits);
    await newestIs(endpoint, "COMPLETE");
    const stop = load(endpoint);
    let most = 0;
    const watching = setInterval(() => (most = Math.max(most, server.workerProcesses().length)), 10);
    await update(endpoint, { imageName: "process/next" });
    await newestIs(endpoint, "COMPLETE");
    clearInterval(watching);
    await stop();
    expect(most).toBeLessThanOrEqual(2);
  });
});
