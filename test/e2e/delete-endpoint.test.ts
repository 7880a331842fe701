import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

describe("an endpoint is deleted while a process works for it", () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await ServerProcess.start({
      commands: { program: [process.execPath, PROGRAM] },
      flags: { "ping-interval-ms": "200", "drain-grace-ms": "4000" },
    });
  });
  afterEach(() => server.stop());

  /** A runsync that runs for so long, on an endpoint that is deleted meanwhile. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  async function deletedInMidJob(input: object): Promise<any> {
    const endpoint = await server.commandEndpoint("program", { workersMin: 1, workersMax: 1 });
    const runsync = server.post(`/v2/${endpoint}/runsync`, { input });
    await until("it runs", async () => (await server.health(endpoint)).jobs.inProgress === 1);
    expect((await server.call("DELETE", `/v1/endpoints/${endpoint}`)).status).toBe(204);
    expect((await server.get(`/v2/${endpoint}/health`)).status).toBe(404);
    return (await runsync).json;
  }
  const none = () => until("no worker runs", () => server.workerProcesses().length === 0);

  test("the worker finishes the job that it has, its caller gets the result, and it ends", async () => {
    const record = await deletedInMidJob({ sleep: 1_000 });
    expect(record).toMatchObject({ status: "COMPLETED", output: { worker: record.workerId } });
    await none();
    expect(server.logged("a worker exited")).toEqual([]);
  });

  test("a job that takes longer than the grace is cancelled, and its worker ends", async () => {
    expect(await deletedInMidJob({ sleep: 60_000 })).toMatchObject({ status: "CANCELLED" });
    await none();
  });
});
