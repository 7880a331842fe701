import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { cardUuid, CARD_NAME, ScriptedDriver } from "../support/scripted-driver.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { sharedServers } from "./shared-servers.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly jobs: readonly string[];
}

describe("workers of two servers on one database", () => {
  const servers = sharedServers();
  const driver = new ScriptedDriver(1);
  afterAll(() => driver[Symbol.dispose]());
  let a: ServerProcess;
  let b: ServerProcess;

  beforeEach(async () => {
    a = await start();
    b = await start();
  });

  const start = () =>
    servers.startProcess({
      commands: { program: [process.execPath, PROGRAM] },
      flags: { "ping-interval-ms": "200", "drain-grace-ms": "1000" },
      env: driver.env,
    });

  const workersOf = async (server: ServerProcess, endpoint: string): Promise<Listed[]> =>
    (await server.get(`/v1/endpoints/${endpoint}/workers`)).json.workers;
  const inState = (server: ServerProcess, endpoint: string, state: string) =>
    until(`a worker is ${state}`, async () =>
      (await workersOf(server, endpoint)).find((one) => one.state === state),
    );
  /** The server that has started the worker, and the other one. */
  function sides(worker: string): [ServerProcess, ServerProcess] {
    return a.workerProcesses().some((pid) => a.workerProcesses(worker).includes(pid)) ? [a, b] : [b, a];
  }

  test("are listed alike by both, and each is stopped and replaced from the other", async () => {
    const endpoint = await a.commandEndpoint("program", { workersMin: 1, workersMax: 1 });
    const first = await inState(a, endpoint, "IDLE");
    expect((await inState(b, endpoint, "IDLE")).id).toBe(first.id);
    const go = join(a.directory, "go");
    const job = await a.run(endpoint, { until: go });
    expect(await inState(b, endpoint, "RUNNING")).toMatchObject({ id: first.id, jobs: [job] });
    const [own, other] = sides(first.id);
    const path = `/v1/endpoints/${endpoint}/workers`;
    expect((await other.post(`${path}/${first.id}/replace`)).status).toBe(204);
    for (const server of [own, other]) {
      expect(await workersOf(server, endpoint)).toMatchObject([{ id: first.id, state: "DRAINING" }]);
    }
    writeFileSync(go, "");
    expect((await own.ended(endpoint, job)).workerId).toBe(first.id);
    const second = await inState(other, endpoint, "IDLE");
    expect(second.id).not.toBe(first.id);
    expect((await other.call("DELETE", `${path}/${second.id}`)).status).toBe(204);
    await until("it has ended", () => own.workerProcesses(second.id).length === 0);
    expect((await inState(other, endpoint, "IDLE")).id).not.toBe(second.id);
    expect(own.logged("a worker exited")).toEqual([]);
  }, 30_000);

  test("leave behind where each ran, and on which GPUs, which both tell alike", async () => {
    const scaling = { workersMin: 1, workersMax: 1, gpuCount: 1 };
    const endpoint = await a.commandEndpoint("program", scaling);
    const { id } = await inState(a, endpoint, "IDLE");
    await inState(b, endpoint, "IDLE");
    const job = await b.run(endpoint, { sleep: 50 });
    await b.ended(endpoint, job);
    const attempts = async (server: ServerProcess) =>
      (await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`)).json.attempts;
    const before = await attempts(a);
    const gpus = [{ uuid: cardUuid(0), name: CARD_NAME }];
    expect(before).toMatchObject([{ workerId: id, host: "local", gpus, outcome: "COMPLETED" }]);
    expect(before[0].gpuSeconds).toBeGreaterThan(0);
    await b.call("DELETE", `/v1/endpoints/${endpoint}/workers/${id}`);
    for (const server of [a, b]) {
      await until("it is gone", async () =>
        (await workersOf(server, endpoint)).every((one) => one.id !== id),
      );
      expect(await attempts(server)).toEqual(before);
    }
  }, 30_000);

  test("have their logs at the server that started them; the other one says which that is", async () => {
    const endpoint = await a.commandEndpoint("program", { workersMin: 1, workersMax: 1 });
    const { id } = await inState(a, endpoint, "IDLE");
    const [own, other] = sides(id);
    await until("it is written", async () => (await own.logOf(endpoint, id)).length > 0);
    const path = `/v1/endpoints/${endpoint}/workers/${id}`;
    const elsewhere = await other.get(`${path}/logs`);
    expect([elsewhere.status, elsewhere.json.code]).toEqual([404, "NO_LOGS"]);
    expect(elsewhere.json.error).toContain(`on ${hostname()}. Ask that server.`);
    await other.call("DELETE", path);
    await until("it is gone", async () => (await workersOf(other, endpoint)).every((one) => one.id !== id));
    const after = await other.get(`${path}/logs`);
    expect([after.status, after.json.code]).toEqual([404, "NO_LOGS"]);
    expect(after.json.error).toContain(`on ${hostname()}.`);
    expect((await own.logOf(endpoint, id)).map(({ line }) => line)).toContain("told to end");
  }, 30_000);

  test("one that came by itself is refused on both as soon as one has withdrawn its token", async () => {
    const endpoint = await a.endpoint();
    const { json } = await a.post(`/v1/endpoints/${endpoint}/workers`);
    const worker = new TestWorker(json.env, json.workerId);
    const job = await a.run(endpoint);
    expect((await worker.take()).json.id).toBe(job);
    await worker.ping([job]);
    expect((await b.call("DELETE", `/v1/endpoints/${endpoint}/workers/${worker.id}`)).status).toBe(204);
    await until("it is refused", async () => (await worker.ping([job])).status === 401);
    const record = await b.status(endpoint, job);
    expect([record.status, record.retries]).toEqual(["IN_QUEUE", undefined]);
  });
});
