import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { basename } from "node:path";
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
    [[], "give one handler file: forebay dev handler.ts."],
    [["none.ts"], "there is no file none.ts. Name the file of your handler."],
    [["."], "there is no file .. Name the file of your handler."],
    [["notes.md"], "notes.md is not a handler file: a handler is a .ts, .js, .mjs or .py file."],
    [["handler.ts", "--input", "input.json"], 'the input must be a JSON object, like {"name": "world"}.'],
    [["handler.ts", "--input", "[1]"], 'the input must be a JSON object, like {"name": "world"}.'],
    [["handler.ts", "--input", "{"], 'the input must be a JSON object, like {"name": "world"}.'],
    [
      ["handler.ts", "--input", "{}", "--replay", "a/b", "--key", "k"],
      "--input and --replay both give an input. Leave one out.",
    ],
    [["handler.ts", "--port", "http"], '--port: expected an integer from 0 to 65535, got "http".'],
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
      const sentence =
        `Port ${port} is in use by ${basename(process.execPath)} (process ${process.pid}). ` +
        "Stop it, or choose a port with --port.";
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
        "forebay dev: handler.ts could not be started (exit code 1). Fix the error above.\n",
      );
    },
  );
});
