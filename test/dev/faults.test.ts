import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { DevProject } from "../support/dev-process.ts";

describe("bad input gets one sentence and exit code 2", () => {
  let project: DevProject;
  beforeEach(() => {
    project = new DevProject({
      "handler.ts": "export default () => 1;",
      "notes.md": "",
      "input.json": "[1]",
    });
  });
  afterEach(() => project.end());

  test.each([
    [[], "name one handler file: forebay dev handler.ts."],
    [["none.ts"], "there is no file none.ts. Name the file of your handler."],
    [["."], "there is no file .. Name the file of your handler."],
    [["notes.md"], "notes.md is no handler: a handler is a .ts, .js, .mjs or .py file."],
    [["handler.ts", "--input", "input.json"], 'the input must be a JSON object, like {"name": "world"}.'],
    [["handler.ts", "--input", "[1]"], 'the input must be a JSON object, like {"name": "world"}.'],
    [["handler.ts", "--input", "{"], 'the input must be a JSON object, like {"name": "world"}.'],
    [
      ["handler.ts", "--input", "{}", "--replay", "a/b", "--key", "k"],
      "--input and --replay both name an input. Leave one out.",
    ],
    [["handler.ts", "--port", "http"], '--port: expected an integer from 0 to 65535, got "http"'],
  ])("%j", async (args, sentence) => {
    const { code, stdout, stderr } = await project.dev(args).exit;
    expect([code, stdout, stderr]).toEqual([2, "", `forebay dev: ${sentence}\n`]);
  });

  test("a taken port", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    try {
      await new Promise((resolve) => other.once("listening", resolve));
      const address = other.address();
      const port = typeof address === "object" ? String(address?.port) : "";
      const sentence = `Port ${port} is in use by another program. Stop it, or choose a port with --port.`;
      for (const more of [[], ["--input", "{}"]]) {
        const { code, stdout, stderr } = await project.dev(["handler.ts", "--port", port, ...more]).exit;
        expect([code, stdout, stderr]).toEqual([2, "", `forebay dev: ${sentence}\n`]);
      }
    } finally {
      other.close();
    }
  });

  test.each([[[]], [["--input", "{}"]]])("a file without a handler, with %j", async (args) => {
    project.write("handler.ts", "export const answer = 42;");
    const { code, stdout, stderr } = await project.dev(["handler.ts", ...args]).exit;
    const sentence =
      "handler.ts has no handler. Export one, as default or as handler, or call start of @forebay/worker.";
    expect([code, stdout, stderr]).toEqual([2, "", `forebay dev: ${sentence}\n`]);
  });

  test.each([[[]], [["--input", "{}"]]])(
    "a handler that throws at import: its stack first, %j",
    async (args) => {
      project.write("handler.ts", 'function load() {\n  throw new Error("no model");\n}\nload();');
      const { code, stdout, stderr } = await project.dev(["handler.ts", ...args]).exit;
      expect(code).toBe(2);
      expect(`${stdout}${stderr}`).toMatch(/error: no model\n +at load \(.*handler\.ts:2/);
      expect(stderr).toEndWith(
        "forebay dev: handler.ts could not be started (exit code 1). Mend what is said above.\n",
      );
    },
  );

  test("Python without the SDK, and no Python at all", async () => {
    project.write("handler.py", "");
    project.write("venv/bin/python3", "#!/bin/sh\nexit 3\n");
    const program = `${project.directory}/venv/bin/python3`;
    const env = { VIRTUAL_ENV: `${project.directory}/venv` };
    const cannotRun = await project.dev(["handler.py"], { env }).exit;
    expect([cannotRun.code, cannotRun.stderr]).toEqual([
      2,
      `forebay dev: ${program} cannot be run. Install Python 3, or activate the environment that has it.\n`,
    ]);
    project.makeExecutable("venv/bin/python3");
    const { code, stderr } = await project.dev(["handler.py"], { env }).exit;
    const install = `Install it: ${program} -m pip install runpod.`;
    expect([code, stderr]).toEqual([
      2,
      `forebay dev: ${program} does not have the package runpod. ${install}\n`,
    ]);
  });
});
