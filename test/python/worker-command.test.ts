import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DevProject } from "../support/dev-process.ts";
import { processesWith } from "../support/processes.ts";
import { pythonProgram } from "../support/python.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { wrappedWorker } from "../support/wrapped-worker.ts";

const HANDLER = `
import os, time
import runpod

def handler(job):
    time.sleep(job["input"].get("sleep", 0))
    return {"id": os.environ["RUNPOD_POD_ID"], "key": os.environ.get("FOREBAY_KEY")}

runpod.serverless.start({"handler": handler})
`;

describe("forebay worker -- python handler.py, with the unmodified public SDK", () => {
  let server: ServerProcess;
  let project: DevProject;
  beforeEach(async () => {
    server = await ServerProcess.start();
    project = new DevProject({ "handler.py": HANDLER });
  });
  afterEach(async () => {
    await server.stop();
    project.end();
  });

  test("runs jobs, sends heartbeats, and ends after the job that runs", async () => {
    const endpoint = await server.endpoint({ name: "chat" });
    const args = ["--", pythonProgram(), "-u", "handler.py"];
    const worker = wrappedWorker(server, args, project.directory);
    const record = await server.ended(endpoint, await server.run(endpoint));
    expect(record).toMatchObject({ status: "COMPLETED", output: { id: record.workerId, key: null } });
    const job = await server.run(endpoint, { sleep: 2 });
    await until("it runs", async () => (await server.status(endpoint, job)).status === "IN_PROGRESS");
    const { workers } = (await server.get(`/v1/endpoints/${endpoint}/workers`)).json;
    expect(workers).toMatchObject([{ id: record.workerId, heartbeats: true }]);
    worker.signal("SIGTERM");
    await until("the job ends", async () => (await server.status(endpoint, job)).status === "COMPLETED");
    // The SDK waits for its open call, for up to 90 s: a second signal does not.
    worker.signal("SIGTERM");
    expect(await worker.exit()).toBeOneOf([0, 137]);
    await until(
      "nothing of it is left",
      () => processesWith(`RUNPOD_POD_ID=${record.workerId}`).length === 0,
    );
  });
});
