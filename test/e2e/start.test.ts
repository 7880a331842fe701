import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MACHINE_VARIABLES } from "../support/machine-variables.ts";
import { processesWith } from "../support/processes.ts";
import { FOREBAY, ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

describe("the first start", () => {
  let server: ServerProcess | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  test("prints a call that the example worker answers, and the key only once", async () => {
    server = await ServerProcess.start({ flags: { demo: "true", "admin-key": "" } });
    const [ready, key, page, , ...curl] = server.printed;
    expect(ready).toBe(`forebay ready on ${server.url}`);
    expect(page).toBe(`  console: ${server.url}/console`);
    expect(key).toMatch(/^ {2}admin key \(shown only now\): fbk_[a-z0-9]{14}_[\w-]{51}$/);
    const { stdout } = spawnSync("sh", ["-c", curl.join("\n")], { encoding: "utf8" });
    expect(JSON.parse(stdout)).toMatchObject({
      status: "COMPLETED",
      output: { greeting: "Hello, world!" },
    });
    await server.terminate();
    await server.startAgain();
    expect(server.printed.join("\n")).not.toContain("fbk_");
    expect(server.printed.join("\n")).toContain(`${server.url}/v2/hello/runsync`);
  });

  test("a closed terminal stops the server in order", async () => {
    server = await ServerProcess.start({ flags: { demo: "true" } });
    await server.terminate("SIGHUP");
  });

  test("--no-demo leaves the example out, and later starts do not bring it", async () => {
    server = await ServerProcess.start({ args: ["--no-demo"] });
    expect(server.printed).toEqual([`forebay ready on ${server.url}`, `  console: ${server.url}/console`]);
    expect((await server.get("/v1/endpoints")).json).toEqual([]);
    await server.endpoint();
    await server.terminate();
    await server.startAgain();
    expect((await server.get("/v2/hello/health")).status).toBe(404);
  });

  test("a deleted example does not come back", async () => {
    server = await ServerProcess.start({ flags: { demo: "true" } });
    expect((await server.call("DELETE", "/v1/endpoints/hello")).status).toBe(204);
    await server.terminate();
    await server.startAgain();
    expect((await server.get("/v1/endpoints")).json).toEqual([]);
  });

  test("workers see three variables of the server's environment, and no secret of it", async () => {
    const program = join(import.meta.dir, "../fleet/worker-program.ts");
    const env = { FOREBAY_SECRET_KEY: "a-secret", SOME_PASSWORD: "another", LANG: "C.UTF-8" };
    const commands = { program: [process.execPath, program, "--an-argument", "$HOME; *"] };
    server = await ServerProcess.start({ commands, env });
    const endpoint = await server.commandEndpoint("program", {}, { LANG: "C", MODEL: "a\nb" });
    const { output, workerId } = await server.ended(endpoint, await server.run(endpoint));
    const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`);
    const { RUNPOD_AI_API_KEY: token, FOREBAY_WORKER_TOKEN: same, ...others } = output.env;
    expect(token).toMatch(/^fbw_/);
    expect(same).toBe(token);
    const { RUNPOD_AI_API_KEY: _, FOREBAY_WORKER_TOKEN: __, ...expected } = json.env;
    expect(others).toEqual({
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      LANG: "C",
      MODEL: "a\nb",
      ...MACHINE_VARIABLES,
      ...expected,
      RUNPOD_POD_ID: workerId,
      FOREBAY_EXCHANGE_URL: `${server.url}/v2/${endpoint}/exchange/${workerId}`,
    });
    expect(output.argv).toEqual(["--an-argument", "$HOME; *"]);
    expect(output.cwd).toBe(join(server.directory, "data/workers", workerId, "work"));
  });
});

describe("the command line", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "forebay-cli-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Not in step with the test, which can be the server that is called. */
  const forebay = async (
    args: readonly string[],
    env: Record<string, string> = {},
    meanwhile: (child: ChildProcess) => void | Promise<void> = () => undefined,
  ) => {
    const child = spawn("node", [FOREBAY, ...args], { env: { ...process.env, ...env } });
    const ended = new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
      const output = { stdout: "", stderr: "" };
      child.stdout.on("data", (piece) => (output.stdout += String(piece)));
      child.stderr.on("data", (piece) => (output.stderr += String(piece)));
      child.on("close", (status) => resolve({ status, ...output }));
    });
    await meanwhile(child);
    return ended;
  };

  test("commands that cannot be run stop the start with a sentence for each", async () => {
    const file = join(directory, "commands.json");
    writeFileSync(file, JSON.stringify({ "a b": ["true"], shell: "sleep 1", here: ["./worker"], none: [] }));
    const { status, stderr, stdout } = await forebay([
      "serve",
      "--commands",
      file,
      "--data",
      join(directory, "data"),
    ]);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.trim().split("; ").length).toBe(5);
    expect(stderr).toStartWith(`forebay serve: ${file}: command "a b": a name has`);
    expect(stderr).not.toContain("    at ");
  });

  test("a signal that comes while the server starts stops it in order", async () => {
    const data = join(directory, "data");
    const starting = forebay(["serve", "--port", "0", "--data", data], {}, async (child) => {
      await until("the store is being opened", () => existsSync(data));
      child.kill("SIGTERM");
    });
    const { status, stdout } = await starting;
    expect(status).toBe(0);
    const url = /^forebay ready on (\S+)/.exec(stdout)?.[1];
    expect(processesWith(`FOREBAY_EXCHANGE_URL=${url}/`)).toEqual([]);
  });

  test("worker env prints an environment with which a worker connects", async () => {
    const server = await ServerProcess.start();
    try {
      const endpoint = await server.endpoint();
      const args = ["worker", "env", "--endpoint", endpoint, "--server", server.url];
      const { status, stdout } = await forebay(args, { FOREBAY_KEY: TEST_KEY });
      expect(status).toBe(0);
      const env = Object.fromEntries(
        stdout
          .trim()
          .split("\n")
          .map((line) => line.split(/=(.*)/s)),
      );
      const job = await server.run(endpoint, { a: 1 });
      const taken = await new TestWorker(env, env["RUNPOD_POD_ID"] ?? "").take();
      expect(taken.json.id).toBe(job);
      const many = await forebay([...args, "--many", "--key", TEST_KEY], { FOREBAY_KEY: "other" });
      expect(many.stdout).toContain("RUNPOD_AI_API_KEY=fbw_");
      expect(many.stdout).not.toContain("RUNPOD_POD_ID=");
    } finally {
      await server.stop();
    }
  });

  test("worker env says in one sentence what is wrong", async () => {
    const server = await ServerProcess.start();
    const other = Bun.serve({ port: 0, fetch: () => new Response("{}") });
    try {
      const at = ["--server", server.url];
      const faults: [args: string[], key: string, sentence: string][] = [
        [
          [...at, "--endpoint", "none"],
          TEST_KEY,
          "There is no endpoint none. forebay endpoints list shows all endpoints.",
        ],
        [
          [...at, "--endpoint", "none"],
          "wrong-key",
          "The key in the Authorization header is unknown. Check it. " +
            "Use another key: --key <key>, or FOREBAY_KEY.",
        ],
        [[...at, "--endpoint", "none"], "", "enter your API key: --key <key>, or set FOREBAY_KEY."],
        [at, TEST_KEY, "name the endpoint: --endpoint <endpoint>."],
        [
          ["--server", other.url.origin, "--endpoint", "a"],
          TEST_KEY,
          `${other.url.origin} is not a Forebay server: it answered something else.`,
        ],
      ];
      for (const [args, key, sentence] of faults) {
        const { status, stderr, stdout } = await forebay(["worker", "env", ...args], { FOREBAY_KEY: key });
        expect([status, stdout]).toEqual([2, ""]);
        expect(stderr).toBe(`forebay worker env: ${sentence}\n`);
      }
    } finally {
      await other.stop();
      await server.stop();
    }
    const { status, stderr } = await forebay([
      "worker",
      "env",
      "--endpoint",
      "a",
      "--server",
      server.url,
      "--key",
      "a",
    ]);
    expect(status).toBe(2);
    expect(stderr).toStartWith(`forebay worker env: no server answers at ${server.url}`);
    expect(stderr.trim().split("\n").length).toBe(1);
  });
});
