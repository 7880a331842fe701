import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { liveWorker } from "../fuzz/live-workers.ts";
import { pythonProgram } from "../support/python.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";
import { SEED } from "../support/seed.ts";

/** For each operation. */
const EXAMPLES = process.env["EXAMPLES"] ?? "30";

/** Nothing is held for long, and what nobody reports comes back soon. */
const FLAGS = {
  "ping-interval-ms": "100",
  "delivery-lease-ms": "300",
  "worker-lease-ms": "400",
  "rehand-delay-ms": "200",
  "take-hold-ms": "30",
  "stop-hold-ms": "30",
  "stream-hold-ms": "30",
  "sweep-interval-ms": "50",
};

/** Python before 3.11.9 fails so now and then, whatever runs in it (python/cpython#106905). */
const FAULT_OF_PYTHON = "AST constructor recursion depth mismatch";

/** The run may take this long, ms; it takes two minutes on two quiet cores. */
const LIMIT = 12 * 60_000;

describe(`Schemathesis runs the document against a server with a live worker (SEED=${SEED})`, () => {
  let server: ServerProcess;
  const end = new AbortController();
  const live: Promise<void>[] = [];
  let output: string;
  let code: number | null;

  beforeAll(async () => {
    server = await ServerProcess.start({ flags: FLAGS });
    ({ output, code } = await runOnNewEndpoint());
    if (output.includes(FAULT_OF_PYTHON)) ({ output, code } = await runOnNewEndpoint());
    writeFileSync(join(server.directory, "output.txt"), output);
  }, LIMIT);
  afterAll(async () => {
    end.abort();
    await Promise.all(live);
    await server.stop();
  });

  test("every answer is as documented, nothing is 5xx, what is wrong is refused, no key is ignored", () => {
    const summary = output.slice(output.search(/=+ (ERRORS|FAILURES) =+|=+ SUMMARY =+/)).slice(0, 20_000);
    expect({ code, summary: code === 0 ? "" : summary }).toEqual({ code: 0, summary: "" });
  });

  test("thousands of calls were made, and all operations were called", () => {
    const generated = Number(/^ *(\d+) generated/m.exec(output)?.[1]);
    process.stderr.write(`schemathesis: SEED=${SEED} ${generated} cases\n`);
    expect(generated).toBeGreaterThan(3_000);
    expect(output).toMatch(/Tested: (\d+)\n/);
    const [, selected, tested] = /Selected: (\d+)\/\d+\n\s+Tested: (\d+)/.exec(output) ?? [];
    expect(tested).toBe(selected ?? "some");
  });

  test("the server lives, its log has no error, and a job runs through", async () => {
    expect(server.log.filter(({ level }) => level === "error")).toEqual([]);
    const endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    const job = await server.run(endpoint);
    await until("the job was handed out", async () => (await worker.take()).status === 200);
    await worker.done(job, { output: 1 });
    expect((await server.get(`/v2/${endpoint}/status/${job}`)).json.status).toBe("COMPLETED");
  });

  async function runOnNewEndpoint(): Promise<{ output: string; code: number | null }> {
    const endpoint = await server.endpoint({ rateLimits: RAISED_LIMITS });
    live.push(liveWorker(await server.worker(endpoint), end.signal));
    const config = join(server.directory, "schemathesis.toml");
    writeFileSync(config, await settings(endpoint));
    return run(config);
  }

  /** Where the parameters come from, and which checks cannot hold where. */
  async function settings(endpoint: string): Promise<string> {
    const worker = await server.worker(endpoint);
    const jobs = await Promise.all(Array.from({ length: 5 }, () => server.run(endpoint)));
    const passing = await server.endpoint();
    const [template, key] = await Promise.all([
      server.post("/v1/templates", { name: crypto.randomUUID(), imageName: "worker" }),
      server.post("/v1/keys", { name: crypto.randomUUID(), scopes: ["read"] }),
    ]);
    return readFileSync(join(import.meta.dir, "schemathesis.toml"), "utf8")
      .replaceAll("$ENDPOINT", endpoint)
      .replaceAll("$PASSING", passing)
      .replaceAll("$WORKER", worker.id)
      .replaceAll("$TOKEN", worker.env["RUNPOD_AI_API_KEY"] ?? "")
      .replaceAll("$ADMIN_KEY", TEST_KEY)
      .replaceAll("$TEMPLATE", template.json.id)
      .replaceAll("$API_KEY", key.json.id)
      .replaceAll('"$JOBS"', jobs.map((job) => `"${job}"`).join(", "));
  }

  function run(config: string): Promise<{ output: string; code: number | null }> {
    const program = ["-m", "schemathesis.cli", "--config-file", config];
    const args = [
      ...program,
      "run",
      `${server.url}/openapi.json`,
      "--seed",
      SEED,
      "--max-examples",
      EXAMPLES,
    ];
    const child = spawn(pythonProgram("schemathesis"), args, {
      cwd: server.directory,
      env: { ...process.env, NO_COLOR: "1", COLUMNS: "200" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (piece: Buffer) => (output += piece.toString()));
    child.stderr.on("data", (piece: Buffer) => (output += piece.toString()));
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ output, code }));
    });
  }
});
