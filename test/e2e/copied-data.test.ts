import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");
const COMMANDS = { program: [process.execPath, PROGRAM] };

describe("a data directory that was copied", () => {
  let server: ServerProcess;
  let second: ServerProcess | undefined;
  let data: string;
  let other: string;
  beforeEach(async () => {
    second = undefined;
    server = await ServerProcess.start({ commands: COMMANDS });
    data = join(server.directory, "data");
    other = join(server.directory, "other");
  });
  afterEach(async () => {
    await second?.stop();
    await server.stop();
  });

  const copy = (from: string, to: string): void => {
    expect(spawnSync("cp", ["-a", from, to]).status).toBe(0);
  };
  const copyWithKey = (): void => {
    copy(data, other);
    copy(`${data}.key`, `${other}.key`);
  };
  const served = async (...args: string[]): Promise<string> => {
    const words = ["serve", "--port", "0", "--admin-key", TEST_KEY, "--data", other, ...args];
    const { status, stdout, stderr } = await new ForebayCommand(words).ended();
    expect([status, stdout]).toEqual([2, ""]);
    return stderr;
  };
  const startSecond = async (...args: string[]): Promise<ServerProcess> => {
    second = await ServerProcess.start({ commands: COMMANDS, flags: { data: other }, args });
    return second;
  };
  /** A worker that runs a job until the file `go` is there. */
  const busyWorker = async () => {
    const endpoint = await server.commandEndpoint("program");
    const job = await server.run(endpoint, { until: join(server.directory, "go") });
    const { worker, pid } = await until("its worker runs the job", async () => {
      const { workerId } = await server.status(endpoint, job);
      const lines = workerId === undefined ? [] : await server.logOf(endpoint, workerId);
      const [process] = lines.length === 0 ? [] : server.workerProcesses(workerId);
      const hasIt = lines.some(({ line }) => line === `runs ${job}`);
      return hasIt && process !== undefined && { worker: workerId, pid: process };
    });
    return { endpoint, job, worker, pid };
  };
  const expectDone = async ({ endpoint, job, pid }: Awaited<ReturnType<typeof busyWorker>>) => {
    expect(server.workerProcesses()).toEqual([pid]);
    writeFileSync(join(server.directory, "go"), "");
    const record = await server.ended(endpoint, job);
    expect(record.status).toBe("COMPLETED");
    expect(record.retries).toBeUndefined();
  };

  test("is refused, and the workers of the original live on", async () => {
    const busy = await busyWorker();
    copyWithKey();
    for (const _ of [1, 2]) {
      const refusal = await served();
      expect(refusal).toStartWith(`forebay serve: ${other} is a copy of another data directory`);
      expect(refusal).toContain("start it once with --adopt-data");
    }
    await expectDone(busy);
  });

  test("runs beside the original when it is adopted, and leaves its workers alone", async () => {
    const busy = await busyWorker();
    const names = async (of: ServerProcess) =>
      (await of.get("/v1/endpoints")).json.map(({ id }: { id: string }) => id);
    const before = await names(server);
    copyWithKey();
    // The worker of the copied job does not end before the test lets it.
    const adopted = await startSecond("--adopt-data");
    expect(await names(adopted)).toEqual(before);
    const again = await until("the copied job runs at a worker of the copy", async () => {
      const record = await adopted.status(busy.endpoint, busy.job);
      return adopted.workerProcesses(record.workerId).length > 0 && record;
    });
    expect(again.retries).toBeUndefined();
    expect(
      adopted.logged("the data of another server was adopted: what it has on a Docker Engine stays there"),
    ).toHaveLength(1);
    // Killed and started again it ends its own workers, and no others; it needs no flag any more.
    await adopted.kill();
    await second?.stop();
    second = undefined;
    await expectDone(busy);
  });

  test("needs no flag after it was adopted", async () => {
    await server.terminate();
    copyWithKey();
    await (await startSecond("--adopt-data")).terminate();
    await startSecond();
  });

  test("in a database alone is refused", async () => {
    await server.terminate();
    expect(spawnSync("mkdir", [other]).status).toBe(0);
    copy(join(data, "forebay.db"), other);
    copy(`${data}.key`, `${other}.key`);
    expect(await served()).toContain(`The database in ${other} is a copy`);
    await startSecond("--adopt-data");
  });

  test("and restored over the original needs no flag", async () => {
    const endpoint = await server.endpoint();
    await server.terminate();
    copyWithKey();
    await server.startAgain();
    const later = await server.endpoint();
    await server.terminate();
    for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true });
    copy(`${other}/.`, data);
    await server.startAgain();
    expect((await server.get(`/v2/${endpoint}/health`)).status).toBe(200);
    expect((await server.get(`/v2/${later}/health`)).status).toBe(404);
  });

  test("is moved with all that was left in it: the next server ends the workers", async () => {
    const { worker } = await busyWorker();
    await server.kill();
    renameSync(data, other);
    renameSync(`${data}.key`, `${other}.key`);
    const moved = await startSecond();
    expect(moved.logged("a worker that had outlived its server was ended")).toHaveLength(1);
    await until("its process is gone", () => server.workerProcesses(worker).length === 0);
  });

  test("is not moved to PostgreSQL", async () => {
    await server.terminate();
    copyWithKey();
    const words = ["migrate-store", "--from", other, "--to", "postgres://nobody@127.0.0.1:1/none"];
    const { status, stderr } = await new ForebayCommand(words).ended();
    expect([status, stderr]).toEqual([2, expect.stringContaining(`${other} is a copy`)]);
  });

  test("is served by one server at a time, also with a database", async () => {
    const words = ["serve", "--port", "0", "--data", data];
    const database = ["--database-url", "postgres://nobody@127.0.0.1:1/none"];
    const { stderr } = await new ForebayCommand([...words, ...database]).ended();
    expect(stderr).toContain(`another Forebay server is using the data directory ${data}`);
  });
});
