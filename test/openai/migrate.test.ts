import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pythonProgram } from "../support/python.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";

setDefaultTimeout(60_000);

const ROOT = join(import.meta.dir, "../..");
const WORKER = join(ROOT, "examples/openai-worker/worker.ts");

const BLOCKS = [...readFileSync(join(ROOT, "docs/migrate.md"), "utf8").matchAll(/```(\w+)\n(.*?)```/gs)].map(
  ([, language = "", text = ""]) => ({ language, text }),
);

describe("docs/migrate.md, its programs as they stand there, but for the address", () => {
  const directory = mkdtempSync(join(tmpdir(), "forebay-migrate-"));
  let server: ServerProcess;
  let endpoint: string;
  beforeAll(async () => {
    symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
    server = await ServerProcess.start({
      flags: { demo: "true" },
      commands: { pond: [process.execPath, WORKER] },
    });
    const template = (await server.post("/v1/templates", { name: "pond", imageName: "process/pond" })).json;
    endpoint = (await server.post("/v1/endpoints", { templateId: template.id, workersMax: 1 })).json.id;
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true });
  });

  /** What the only block of a language with this text prints. */
  async function printed(language: string, text: string, env: Record<string, string> = {}): Promise<string> {
    const [block, ...others] = BLOCKS.filter((one) => one.language === language && one.text.includes(text));
    if (block === undefined || others.length > 0)
      throw new Error(`not one block of ${language} with ${text}`);
    const file = join(directory, language === "js" ? "program.mjs" : "program");
    writeFileSync(file, block.text.replaceAll("http://127.0.0.1:8000", server.url));
    const python = (): string => pythonProgram(text.includes("openai") ? "openai" : "runpod");
    const program = language === "js" ? "node" : language === "python" ? python() : "sh";
    const own = { PATH: process.env["PATH"], HOME: directory, RUNPOD_API_KEY: TEST_KEY, ENDPOINT: endpoint };
    // In its own time: the server in this process has to answer it.
    const child = spawn(program, [file], { cwd: directory, env: { ...own, ...env } });
    let output = "";
    let faults = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (output += piece));
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (faults += piece));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, code === 0 ? "" : faults]).toEqual([0, ""]);
    return output;
  }

  test.each([
    ["python", "run_sync"],
    ["python", "AsyncioEndpoint"],
    ["js", "runpod-sdk"],
    ["sh", "curl"],
  ])("a job by %s: %s", async (language, text) => {
    expect(await printed(language, text)).toContain("Hello, Ada!");
  });

  test.each(["python", "js"])("a chat by the client of OpenAI in %s", async (language) => {
    const text = language === "python" ? "from openai" : 'from "openai"';
    expect(await printed(language, text)).toStartWith("A forebay is the pool");
  });

  test("templates and endpoints from one server to another", async () => {
    const [from, to] = [await TestServer.start(), await TestServer.start()];
    try {
      const template = {
        name: "whisper",
        imageName: "team/whisper:1.2",
        env: { MODEL: "small" },
        ports: ["8888/http"],
        volumeInGb: 0,
        isServerless: true,
      };
      const { id } = (await from.post("/v1/templates", template)).json;
      const endpoint = { gpuCount: 2, workersMax: 7, idleTimeout: 60, executionTimeoutMs: 90_000 };
      const names = ["first", "second"];
      for (const name of names) await from.post("/v1/endpoints", { ...endpoint, name, templateId: id });
      const env = {
        FROM_URL: `${from.url}/sdk/v1`,
        FROM_KEY: TEST_KEY,
        TO_URL: `${to.url}/v1`,
        TO_KEY: TEST_KEY,
      };
      const lines = (await printed("js", "FROM_URL", env)).trim().split("\n");
      const [copy, ...others] = (await to.get("/v1/templates")).json;
      expect([others, copy]).toEqual([[], expect.objectContaining(template)]);
      const copies = (await to.get("/v1/endpoints")).json;
      expect(copies.map(({ name }: { name: string }) => name).toSorted()).toEqual(names);
      for (const one of copies) expect(one).toMatchObject({ ...endpoint, templateId: copy.id });
      const old = (await from.get("/v1/endpoints")).json.map(({ id }: { id: string }) => id);
      expect(lines.map((line) => line.split(" is ")[0]).toSorted()).toEqual(old.toSorted());
    } finally {
      await Promise.all([from.stop(), to.stop()]);
    }
  });
});
