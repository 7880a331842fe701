import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly jobs: readonly string[];
}

describe("the workers that Forebay starts", () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await ServerProcess.start({
      commands: { program: [process.execPath, PROGRAM] },
      flags: { "ping-interval-ms": "200", "drain-grace-ms": "500" },
    });
  });
  afterEach(() => server.stop());

  /** The file for which jobs wait. */
  const go = (): string => join(server.directory, "go");
  const workersOf = async (endpoint: string): Promise<Listed[]> =>
    (await server.get(`/v1/endpoints/${endpoint}/workers`)).json.workers;
  const inState = (endpoint: string, state: string) =>
    until(`a worker is ${state}`, async () => (await workersOf(endpoint)).find((one) => one.state === state));

  test("are listed with what started them, when, and the jobs that they have", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 1, workersMax: 1 });
    const idle = await inState(endpoint, "IDLE");
    expect(idle).toMatchObject({ managed: true, provider: "process", host: "local", jobs: [] });
    expect(idle).toHaveProperty("startedAt");
    const job = await server.run(endpoint, { sleep: 60_000 });
    expect(await inState(endpoint, "RUNNING")).toMatchObject({ id: idle.id, jobs: [job] });
    await server.post(`/v2/${endpoint}/cancel/${job}`);
  });

  test("one that is deleted ends, its job goes out again without a loss, and another one comes", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 1, workersMax: 1 });
    const job = await server.run(endpoint, { until: go() });
    const { id } = await inState(endpoint, "RUNNING");
    expect((await server.call("DELETE", `/v1/endpoints/${endpoint}/workers/${id}`)).status).toBe(204);
    const listed = await workersOf(endpoint);
    expect(listed.every((one) => one.id !== id || one.state === "DRAINING")).toBe(true);
    await until("it has ended", () => server.workerProcesses(id).length === 0);
    writeFileSync(go(), "");
    const record = await server.ended(endpoint, job);
    expect([record.status, record.retries, record.workerId === id]).toEqual(["COMPLETED", undefined, false]);
    expect(server.logged("a worker exited")).toEqual([]);
  });

  test("one that is replaced finishes its job, gets no other, and a fresh one has the next", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 1, workersMax: 2 });
    const job = await server.run(endpoint, { sleep: 2_000, until: go() });
    const { id } = await inState(endpoint, "RUNNING");
    expect((await server.post(`/v1/endpoints/${endpoint}/workers/${id}/replace`)).status).toBe(204);
    const next = await server.ended(endpoint, await server.run(endpoint));
    writeFileSync(go(), "");
    const record = await server.ended(endpoint, job);
    // Longer than the grace that a worker has which is stopped.
    expect([record.status, record.workerId, record.retries]).toEqual(["COMPLETED", id, undefined]);
    expect([next.status, next.workerId === id]).toEqual(["COMPLETED", false]);
    await until("it has ended", () => server.workerProcesses(id).length === 0);
    await until("it is gone", async () => (await workersOf(endpoint)).every((one) => one.id !== id));
  });

  test("a worker that was deleted before a crash of the server is not there after it", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 1, workersMax: 1 });
    const { id } = await inState(endpoint, "IDLE");
    await server.call("DELETE", `/v1/endpoints/${endpoint}/workers/${id}`);
    await server.kill();
    await server.startAgain();
    const other = await inState(endpoint, "IDLE");
    expect(other.id).not.toBe(id);
  });
});
