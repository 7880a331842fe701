import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

describe("what workers are started from, with a process", () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await ServerProcess.start({
      commands: {
        one: [process.execPath, PROGRAM, "one"],
        two: [process.execPath, PROGRAM, "two"],
      },
      flags: { "ping-interval-ms": "200", "drain-grace-ms": "500" },
    });
  });
  afterEach(() => server.stop());

  async function template(command: string, env: Record<string, string> = {}): Promise<string> {
    const fields = { name: crypto.randomUUID(), imageName: `process/${command}`, env };
    return (await server.post("/v1/templates", fields)).json.id;
  }

  /** What the worker tells of itself that gets the next job. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  const told = async (endpoint: string): Promise<any> =>
    (await server.ended(endpoint, await server.run(endpoint))).output;
  const none = () => until("no worker runs", () => server.workerProcesses().length === 0);

  test("env of the endpoint goes before the template's, and a change holds for new workers", async () => {
    const templateId = await template("one", { SHARED: "template", OF_TEMPLATE: "1" });
    const env = { SHARED: "endpoint", OF_ENDPOINT: "2" };
    const endpoint = await server.endpoint({ templateId, env, workersMax: 1, idleTimeout: 1 });
    expect((await told(endpoint)).env).toMatchObject({ ...env, OF_TEMPLATE: "1" });
    await none();
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { env: { OF_ENDPOINT: "3" } });
    expect((await told(endpoint)).env).toMatchObject({ SHARED: "template", OF_ENDPOINT: "3" });
    await none();
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { env: null });
    expect((await told(endpoint)).env.OF_ENDPOINT).toBeUndefined();
  });

  test("templateId is changed by PATCH: new workers start from the new template", async () => {
    const [one, two] = [await template("one"), await template("two")];
    const endpoint = await server.endpoint({ templateId: one, workersMax: 1, idleTimeout: 1 });
    expect((await told(endpoint)).argv).toEqual(["one"]);
    await none();
    const changed = await server.call("PATCH", `/v1/endpoints/${endpoint}`, { templateId: two });
    expect([changed.status, changed.json.templateId]).toEqual([200, two]);
    expect((await told(endpoint)).argv).toEqual(["two"]);
    await none();
    // Without a template workers come by themselves, and none is started.
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { templateId: null });
    const job = await server.run(endpoint);
    await (await server.worker(endpoint)).take();
    expect((await server.status(endpoint, job)).status).toBe("IN_PROGRESS");
    expect(server.workerProcesses()).toEqual([]);
  });

  test("includeWorkers shows what each worker does that Forebay started", async () => {
    const endpoint = await server.endpoint({ templateId: await template("one"), workersMin: 1 });
    const workers = async () =>
      (await server.get(`/v1/endpoints/${endpoint}?includeWorkers=true`)).json.workers;
    const becomes = (state: string) =>
      until(`it is ${state}`, async () => (await workers())[0]?.state === state);
    await becomes("IDLE");
    const [{ id }] = await workers();
    const job = await server.run(endpoint, { sleep: 60_000 });
    await becomes("RUNNING");
    expect(await workers()).toMatchObject([{ id, state: "RUNNING", managed: true, jobs: [job] }]);
    expect((await server.status(endpoint, job)).workerId).toBe(id);
    await server.post(`/v2/${endpoint}/cancel/${job}`);
    await becomes("IDLE");
  });
});
