import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ChildWorker } from "../support/child-worker.ts";
import { DevProject } from "../support/dev-process.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { wrappedWorker } from "../support/wrapped-worker.ts";

const MAIN = join(import.meta.dir, "../../src/cli/main.ts");

const WORKER = `
import { start } from "@forebay/worker";
console.log("has", JSON.stringify(process.argv.slice(2)), process.cwd());
await start({ async handler({ input }) {
  if (input.exit) process.exit(input.exit);
  await Bun.sleep(input.sleep ?? 0);
  return { env: process.env };
} });
`;

describe("forebay worker -- <a program that uses a worker SDK>", () => {
  let server: ServerProcess;
  let project: DevProject;
  const workers: ChildWorker[] = [];
  beforeEach(async () => {
    server = await ServerProcess.start();
    project = new DevProject({ "handler.ts": WORKER });
    project.installSdk();
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) {
      worker.signal("SIGTERM");
      await worker.exit();
    }
    await server.stop();
    project.end();
  });

  const PROGRAM = ["--", process.execPath, "handler.ts", "--its", "own"];
  const start = (...args: string[]): ChildWorker => {
    const worker = wrappedWorker(server, args, project.directory);
    workers.push(worker);
    return worker;
  };

  test("connects it by its environment, and hands it no key", async () => {
    const endpoint = await server.endpoint({ name: "chat" });
    const worker = start("--endpoint", "chat", ...PROGRAM);
    await worker.line("as a worker, for handler.ts uses a worker SDK");
    await worker.line(`has ["--its","own"] ${project.directory}`);
    const record = await server.ended(endpoint, await server.run(endpoint));
    expect(record.output.env).toMatchObject({ RUNPOD_ENDPOINT_ID: endpoint, RUNPOD_POD_ID: record.workerId });
    expect(record.output.env.FOREBAY_KEY).toBeUndefined();
    expect(record.output.env.PATH).toBe(process.env["PATH"]);
    worker.signal("SIGTERM");
    expect(await worker.exit()).toBe(0);
  });

  test("needs no --endpoint where only one can be meant", async () => {
    const templateOf = (await server.post("/v1/templates", { name: "t", imageName: "team/worker:1" })).json
      .id;
    await server.endpoint({ name: "started", templateId: templateOf });
    const endpoint = await server.endpoint({ name: "chat" });
    const worker = start(...PROGRAM);
    await worker.line(`/v2/${endpoint}`);
    await server.endpoint({ name: "draw" });
    const unsure = start(...PROGRAM);
    await unsure.line("name the endpoint: --endpoint <id or name>. You have ");
    expect(await unsure.exit()).toBe(2);
  });

  test("a job that runs at SIGTERM ends first", async () => {
    const endpoint = await server.endpoint();
    const worker = start("--endpoint", endpoint, ...PROGRAM);
    const job = await server.run(endpoint, { sleep: 1_000 });
    await until("it runs", async () => (await server.status(endpoint, job)).status === "IN_PROGRESS");
    worker.signal("SIGTERM");
    expect(await worker.exit()).toBe(0);
    expect((await server.ended(endpoint, job)).status).toBe("COMPLETED");
  });

  test("its exit code is passed on, and that of a signal as shells do", async () => {
    const endpoint = await server.endpoint();
    const worker = start("--endpoint", endpoint, ...PROGRAM);
    await server.run(endpoint, { exit: 7 });
    expect(await worker.exit()).toBe(7);
    const killed = start("--endpoint", endpoint, "--sdk", "--", "sh", "-c", "kill -9 $$");
    await killed.line("as a worker, for --sdk says so");
    expect(await killed.exit()).toBe(137);
  });

  test("workers that share an environment each get an id of their own", async () => {
    const endpoint = await server.endpoint();
    const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`, { many: true });
    expect(json.env.RUNPOD_POD_ID).toBeUndefined();
    const command = [process.execPath, MAIN, "worker", ...PROGRAM];
    for (let i = 0; i < 2; i++) workers.push(new ChildWorker(command, json.env, project.directory));
    await until("two workers are ready", async () => (await server.health(endpoint)).workers.ready === 2);
  });

  test("a program that uses none runs one job for each process, as before", async () => {
    const endpoint = await server.endpoint();
    project.write("jobs/.keep", "");
    project.write("once.ts", 'console.log("[1]");');
    const worker = start("--endpoint", endpoint, "--", process.execPath, "./once.ts");
    await worker.line("takes jobs");
    expect((await server.ended(endpoint, await server.run(endpoint))).output).toEqual([1]);
  });

  test.each<[args: string[], sentence: string]>([
    [
      ["--concurrency", "2", ...PROGRAM],
      "--concurrency goes with programs that run one job and end. Leave it out.",
    ],
    [
      ["--endpoint", "chat", "--create", "--sdk", "--", "none-such"],
      "the program none-such was not found. Install it, or give its path.",
    ],
  ])("%j is one sentence and exit code 2", async (args, sentence) => {
    const worker = start(...args);
    await worker.line(`forebay worker: ${sentence}`);
    expect(await worker.exit()).toBe(2);
  });
});
