import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BareMachine } from "../support/bare-machine.ts";
import { buildExecutables } from "../support/executables.ts";
import { memoryOf } from "../support/memory-of.ts";
import { pythonProgram } from "../support/python.ts";
import { RunningForebay } from "../support/running-forebay.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";

/** ms of CPU in a clock tick of Linux. */
const TICK = 10;

describe("the executable alone, on a machine without Node, npm, Bun and a clone", () => {
  let machine: BareMachine;
  let executable: string;
  beforeAll(() => {
    executable = join(buildExecutables({ platforms: ["linux-x64"] }), "forebay-linux-x64");
    machine = new BareMachine(executable);
  }, 120_000);
  afterAll(() => machine[Symbol.dispose]());

  async function serve(data = "data"): Promise<RunningForebay> {
    const flags = ["--port", "0", "--data", data];
    const forebay = new RunningForebay(machine.start(TEST_KEY, "forebay", "serve", ...flags));
    await forebay.ready();
    return forebay;
  }

  test("there is no other program that could run it", () => {
    const { stdout } = machine.run("sh", "-c", "ls /bin /work /usr 2>&1; which node npm bun");
    expect(stdout).toContain("forebay");
    expect(stdout).not.toMatch(/node|npm|bun\b/);
  });

  test("is ready within half a second of CPU, and takes less than 80 MB", async () => {
    await using forebay = await serve();
    const { status } = await forebay.get("/readyz");
    const cpu = cpuOf(forebay.pid);
    const memory = memoryOf(forebay.pid);
    expect(status).toBe(200);
    expect(cpu).toBeLessThan(500);
    expect(memory).toBeLessThan(80);
    expect(await forebay.stop()).toBe(0);
  });

  test("answers jobs of hello, and has them still after a restart", async () => {
    await using first = await serve();
    const { json: job } = await first.post("/v2/hello/runsync", { input: { name: "Ada" } });
    expect(job).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, Ada!" } });
    const { json: later } = await first.post("/v2/hello/run", { input: { name: "Grace" } });
    expect(await first.stop()).toBe(0);
    await using second = await serve();
    const { json: again } = await second.get(`/v2/hello/status/${job.id}`);
    expect(again).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, Ada!" } });
    const { json: ended } = await second.get(`/v2/hello/status-sync/${later.id}?wait=20000`);
    expect(ended).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, Grace!" } });
    expect(await second.stop()).toBe(0);
  });

  test("serves the console with its script and style, the API page and the OpenAPI document", async () => {
    await using forebay = await serve();
    const { text } = await forebay.get("/console");
    const assets = [...text.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(assets).toHaveLength(2);
    const script = (await forebay.get(assets.at(-1) ?? "")).text;
    const chunks = [...script.matchAll(/\/console\/assets\/([\w-]+)/g)].map(([path]) => path);
    expect(chunks.length).toBeGreaterThan(0);
    for (const path of [
      "/docs",
      "/docs/page.js",
      "/docs/swagger-ui.css",
      "/docs/swagger-ui.js",
      "/openapi.json",
      "/sdk/openapi.json",
      ...assets,
      ...chunks,
    ]) {
      expect([path, (await forebay.get(path)).status]).toEqual([path, 200]);
    }
    expect(await forebay.stop()).toBe(0);
  });

  test("moves a long write-ahead log into the database with the thread that it has inside", async () => {
    await using forebay = await serve();
    const input = { text: "x".repeat(10_000) };
    // More than 2,000 pages of 4 KiB: a checkpoint is due.
    for (let sent = 0; sent < 1_000; sent += 100) {
      await Promise.all(Array.from({ length: 100 }, () => forebay.post("/v2/hello/run", { input })));
    }
    const isMoved = (): boolean => statSync(machine.pathOf("data/forebay.db")).size > 4e6;
    await until("the database had the pages of the log", isMoved);
    expect(await forebay.stop()).toBe(0);
  });

  test("backs up a running server with the thread inside, and serves the restored data", async () => {
    await using first = await serve("kept");
    const { json: job } = await first.post("/v2/hello/runsync", { input: { name: "Ada" } });
    const server = ["--server", first.url, "--key", TEST_KEY];
    const { status, stderr } = machine.run("forebay", "backup", "forebay.tar", ...server);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(await first.stop()).toBe(0);
    machine.write("restored.key", readFileSync(machine.pathOf("kept.key"), "utf8"));
    const restored = machine.run("forebay", "restore", "forebay.tar", "--data", "restored");
    expect(restored).toMatchObject({ status: 0 });
    await using second = await serve("restored");
    const { json: again } = await second.get(`/v2/hello/status/${job.id}`);
    expect(again).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, Ada!" } });
    expect(await second.stop()).toBe(0);
  });

  test("forebay dev runs handlers in TypeScript, which import the worker library and their own files", () => {
    machine.write(
      "handler.ts",
      `
      import type { Job } from "@forebay/worker";
      import { twice } from "@lib/twice";
      import { word } from "./word.ts";
      export default ({ input }: Job<{ n: number }>) => [twice(input.n), word];`,
    );
    machine.write("word.ts", `export const word: string = "own file";`);
    machine.write("lib/twice.ts", "export const twice = (n: number): number => 2 * n;");
    machine.write("tsconfig.json", `{"compilerOptions":{"baseUrl":".","paths":{"@lib/*":["./lib/*"]}}}`);
    expect(dev("handler.ts", { n: 21 })).toMatchObject({ status: 0, stdout: '[42,"own file"]\n' });
    machine.write(
      "program.ts",
      `
      import * as serverless from "@forebay/worker";
      await serverless.start<{ n: number }>({ handler: ({ input }) => 2 * input.n });`,
    );
    expect(dev("program.ts", { n: 21 })).toMatchObject({ status: 0, stdout: "42\n" });
    machine.write(
      "required.cjs",
      `
      const { forebay } = require("@forebay/worker/client");
      module.exports = () => typeof forebay;`,
    );
    expect(dev("required.cjs", {}).status).toBe(0);
  });

  test("forebay dev says which package a handler lacks, and shows the frames of its author", () => {
    machine.write("lacks.ts", `import "left-pad"; export default () => 1;`);
    expect(dev("lacks.ts", {}).stderr).toContain("Cannot find package 'left-pad'");
    machine.write("fails.ts", `export default () => { throw new TypeError("no good"); };`);
    const { status, stderr } = dev("fails.ts", {});
    expect(stderr).toMatch(/TypeError: no good\n +at .*fails\.ts:1:\d+\)?\n$/);
    expect(status).toBe(1);
  });

  test("forebay dev runs a handler in Python by the virtual environment, with the public SDK", async () => {
    await using directory = await temporaryDirectory();
    const handler = `
import runpod
runpod.serverless.start({"handler": lambda job: 2 * job["input"]["n"]})`;
    writeFileSync(join(directory.path, "handler.py"), handler);
    const { status, stdout } = spawnSync(executable, ["dev", "handler.py", "--input", '{"n": 21}'], {
      cwd: directory.path,
      env: { PATH: "/usr/bin:/bin", VIRTUAL_ENV: dirname(dirname(pythonProgram())) },
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "42\n" });
  });

  test("has all commands inside", () => {
    const { status, stdout } = machine.run("forebay", "completion", "bash");
    expect(stdout).toContain("migrate-store");
    expect(status).toBe(0);
  });

  test("doctor misses no program", () => {
    const { stdout } = machine.run("forebay", "doctor", "--data", "data");
    expect(stdout).toContain("Forebay");
    expect(stdout).not.toContain("Node.js");
  });

  function dev(file: string, input: object): ReturnType<BareMachine["run"]> {
    return machine.run("forebay", "dev", file, "--input", JSON.stringify(input));
  }
});

/** User and system time, ms (proc_pid_stat(5)). */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}
