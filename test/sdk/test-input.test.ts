import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM = join(import.meta.dir, "workers/trying-worker.ts");

describe("a handler without a server", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "forebay-"));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: directory,
      env: { ...process.env, ...env },
      encoding: "utf8",
      timeout: 20_000,
    });
  const outcomeOf = (stdout: string) => JSON.parse(stdout.replace(/ended\n$/, ""));

  test("runs the job of test_input.json, prints its outcome and ends with 0", async () => {
    await writeFile(join(directory, "test_input.json"), '{"id": "mine", "input": {"a": "二"}, "other": 1}');
    const { status, stdout } = run([]);
    expect(outcomeOf(stdout)).toEqual({
      id: "mine",
      status: "COMPLETED",
      output: { id: "mine", input: { a: "二" } },
    });
    expect([status, stdout.endsWith("ended\n")]).toEqual([0, true]);
  });

  test("runs the job of --test_input instead, whatever else there is", async () => {
    await writeFile(join(directory, "test_input.json"), "no JSON");
    const server = { FOREBAY_EXCHANGE_URL: "http://127.0.0.1:1/e", FOREBAY_WORKER_TOKEN: "t", UNFIT: "1" };
    const { status, stdout } = run(["--own", "x", "--test_input", '{"input": {"yields": [1, "b"]}}'], server);
    const record = { id: "local_test", status: "COMPLETED", output: [], stream: [1, "b"] };
    expect(outcomeOf(stdout)).toEqual(record);
    expect(status).toBe(0);
    expect(run(['--test_input={"input": {}}']).status).toBe(0);
  });

  test("ends with 1 when the job fails, and says why", () => {
    const { status, stdout, stderr } = run(["--test_input", '{"input": {"fail": true}}']);
    expect(status).toBe(1);
    expect(outcomeOf(stdout)).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("wrong – 二"),
    });
    expect(stderr).toContain("RangeError");
  });

  const faults: [what: string, text: string, sentence: string][] = [
    ["no JSON", "{input: 1}", "is not JSON: "],
    ["nothing", "", "is not JSON: "],
    ["no object", "[1]", "must be a JSON object with a member input."],
    ["no input", '{"inputs": {}}', "must have a member input that is an object."],
    ["an input that is no object", '{"input": "x"}', "must have a member input that is an object."],
  ];
  test.each(faults)("ends with 2 and one sentence for %s", async (_what, text, sentence) => {
    await writeFile(join(directory, "test_input.json"), text);
    for (const [source, args] of [
      ["test_input.json", []],
      ["--test_input", [`--test_input=${text}`]],
    ] as const) {
      const { status, stdout, stderr } = run(args);
      expect([status, stdout]).toEqual([2, "ended\n"]);
      const lines = stderr.trimEnd().split("\n");
      expect(lines.length).toBe(1);
      expect(JSON.parse(lines[0] ?? "").message).toStartWith(`${source} ${sentence}`);
    }
  });

  test("and without a test input ends with a sentence that says what there could be", () => {
    const { status, stderr } = run([]);
    expect(status).toBe(1);
    expect(stderr).toContain("Without a server, test_input.json, --test_input and --rp_serve_api try");
  });
});
