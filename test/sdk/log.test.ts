import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ChildWorker } from "../support/child-worker.ts";
import { startWith } from "../support/sdk-worker.ts";
import { TestServer } from "../support/test-server.ts";

const PROGRAM = join(import.meta.dir, "workers/trying-worker.ts");

describe("the log of a worker", () => {
  let server: TestServer;
  let endpoint: string;
  let env: Record<string, string>;
  let worker: ChildWorker;
  beforeEach(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    env = (await server.post(`/v1/endpoints/${endpoint}/workers`)).json.env;
  });
  afterEach(async () => {
    await worker.kill();
    await server.stop();
  });

  const line = async (text: string) => JSON.parse(await worker.line(text));

  test("is one JSON object a line, with time, level, message, the job's id and the fields", async () => {
    worker = new ChildWorker([process.execPath, PROGRAM], { ...env, FOREBAY_LOG_LEVEL: "debug" });
    expect(await line("takes jobs")).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: "info",
      message: expect.stringContaining("1 at a time"),
    });
    const id = await server.run(endpoint, { waits: true });
    expect(await line('"begun"')).toMatchObject({ level: "debug", requestId: id, input: { waits: true } });
    await server.post(`/v2/${endpoint}/cancel/${id}`);
    const stopped = await line('"stopped"');
    expect(Object.keys(stopped)).toEqual(["time", "level", "message", "requestId", "reason", "n"]);
    expect(stopped).toMatchObject({ level: "warn", requestId: id, n: "1" });
    expect(stopped.reason).toContain("cancelled");
  });

  test("has the exceptions of the handler; no fields make a job fail", async () => {
    worker = new ChildWorker([process.execPath, PROGRAM], env);
    const id = await server.run(endpoint, { fail: true });
    expect(await line("RangeError")).toMatchObject({
      level: "error",
      requestId: id,
      message: expect.stringMatching(/^failed: RangeError: wrong – 二\n/),
    });
    expect(await line("cyclic")).toMatchObject({
      requestId: id,
      message: "cyclic",
      fieldsFault: expect.any(String),
    });
  });

  test("shows what its level says, and no less", async () => {
    worker = new ChildWorker([process.execPath, PROGRAM], { ...env, FOREBAY_LOG_LEVEL: "error" });
    await server.post(`/v2/${endpoint}/runsync`, { input: {} });
    await server.run(endpoint, { fail: true });
    await worker.line("RangeError");
    expect(worker.lines.length).toBe(1);
  });

  test("is sentences at a terminal", async () => {
    // `script` makes a terminal; what is typed into it does not reach the worker.
    const command = `'${process.execPath}' '${PROGRAM}'`;
    worker = new ChildWorker(["script", "-qec", command, "/dev/null"], env);
    expect(await worker.line("takes jobs")).toMatch(/^forebay worker: w\S+ takes jobs, 1 at a time\r?$/);
    const id = await server.run(endpoint, { fail: true });
    expect(await worker.line("RangeError")).toContain(`forebay worker: error: job ${id}: failed: RangeError`);
    expect(await worker.line("cyclic")).toContain(`forebay worker: job ${id}: cyclic {"fieldsFault":`);
  });

  test.each([
    ["FOREBAY_LOG_LEVEL", { FOREBAY_LOG_LEVEL: "loud" }, {}],
    ["log_level", {}, { log_level: "loud" as "info" }],
  ])("refuses a level that there is not: %s", async (name, variables, options) => {
    const started = startWith({ ...env, ...variables }, { handler: () => 1, ...options });
    await expect(started).rejects.toThrow(`${name} must be debug, info, warn or error, got loud.`);
  });
});

describe("fitness checks", () => {
  test("that do not all pass end the worker before it takes a job, with exit code 1", async () => {
    const server = await TestServer.start();
    const endpoint = await server.endpoint();
    const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`);
    const id = await server.run(endpoint);
    const worker = new ChildWorker([process.execPath, PROGRAM], { ...json.env, UNFIT: "1" });
    expect(await worker.exit()).toBe(1);
    await worker.line("The worker takes no jobs: its fitness check number 2 failed: no GPU here");
    expect(worker.lines.join("\n")).not.toContain("at a time");
    expect(await server.status(endpoint, id)).toEqual({ id, status: "IN_QUEUE" });
    await server.stop();
  });
});
