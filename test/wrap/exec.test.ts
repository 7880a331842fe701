import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChildWorker } from "../support/child-worker.ts";
import { processesIn } from "../support/processes.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import { wrappedWorker } from "../support/wrapped-worker.ts";

describe("forebay worker --exec", () => {
  let server: TestServer;
  let endpoint: string;
  let directory: string;
  let worker: ChildWorker;
  beforeEach(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    directory = mkdtempSync(join(tmpdir(), "forebay-wrap-"));
    mkdirSync(join(directory, "jobs"));
  });
  afterEach(async () => {
    try {
      worker.signal("SIGTERM");
      await worker.exit();
      // The last of a group gets its SIGKILL before the worker ends, and takes a moment to be gone.
      await until("no process of a job is left", () => left().length === 0);
    } finally {
      await worker.kill();
      for (const pid of left()) process.kill(pid, "SIGKILL");
      await server.stop();
      rmSync(directory, { recursive: true });
    }
  });

  /** Ids of the processes of jobs: each runs in a directory of its own. */
  const left = (): number[] => processesIn(join(directory, "jobs"));

  /** A shell script in the directory in which the worker is started. */
  const script = (text: string, name = "infer.sh"): void => {
    writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(directory, name), 0o755);
  };
  const start = async (text: string, ...flags: string[]): Promise<void> => {
    script(text);
    worker = wrappedWorker(server, ["--endpoint", endpoint, "--exec", "./infer.sh", ...flags], directory);
    await worker.line("takes jobs");
  };
  const run = async (input: unknown = {}): Promise<Record<string, unknown>> => {
    const { json } = await server.post(`/v2/${endpoint}/runsync`, { input });
    return json;
  };
  /** What a script wrote with `echo $$`. */
  const pidIn = (name: string): Promise<number> =>
    until(`${name} has a pid`, () => {
      const path = join(directory, name);
      const text = existsSync(path) ? readFileSync(path, "utf8") : "";
      return text.endsWith("\n") && Number(text);
    });
  const runs = (pid: number): boolean => left().includes(pid);

  const outputs: [what: string, text: string, output: unknown][] = [
    ["the input is on the standard input", "cat", { prompt: "é – 二", n: [1] }],
    ["the input is in a file", 'cat "$FOREBAY_INPUT_FILE"', { prompt: "é – 二", n: [1] }],
    ["text that is not JSON is a text", "echo two words; echo and a line", "two words\nand a line"],
    ["a document may have lines", "echo '{'; echo '\"a\": 1}'", { a: 1 }],
    ["nothing is no output", "true", undefined],
    [
      "bytes are given in base64",
      "printf '\\211PNG'",
      { contentType: "application/octet-stream", base64: "iVBORw==" },
    ],
    ["1 MB arrives whole", "head -c 1000000 /dev/zero | tr '\\0' x", "x".repeat(1_000_000)],
    ["the directory is empty", "ls -A; test -w . && echo writable", "writable"],
    ["no key reaches the program", 'echo "$FOREBAY_KEY$FOREBAY_WORKER_TOKEN$RUNPOD_AI_API_KEY"', undefined],
  ];
  test.each(outputs)("%s", async (_what, text, output) => {
    await start(text);
    const record = await run({ prompt: "é – 二", n: [1] });
    expect([record["status"], record["error"]]).toEqual(["COMPLETED", undefined]);
    expect(record["output"]).toEqual(output);
  });

  test("the job's id is in the environment, and its directory goes with it", async () => {
    await start('pwd; echo "$FOREBAY_JOB_ID"; echo "$FOREBAY_INPUT_FILE"; touch a-file');
    const { id, output } = await run();
    const [workingDirectory = "", job, inputFile = ""] = String(output).split("\n");
    expect(job).toBe(String(id));
    expect([existsSync(workingDirectory), existsSync(inputFile)]).toEqual([false, false]);
    expect(readdirSync(join(directory, "jobs"))).toEqual([]);
  });

  test("words are split like a shell does, and files that begin with ./ are found", async () => {
    script('cat "$1"; shift; for word in "$@"; do echo "[$word]"; done');
    writeFileSync(join(directory, "model.txt"), "the model\n");
    const line = `./infer.sh ./model.txt 'a  b' "c \\"d\\" \\x" e\\ f --g='h i' '' $HOME`;
    worker = wrappedWorker(server, ["--endpoint", endpoint, "--exec", line], directory);
    const words = ["a  b", 'c "d" \\x', "e f", "--g=h i", "", "$HOME"].map((word) => `[${word}]`);
    expect(await run()).toMatchObject({ output: ["the model", ...words].join("\n") });
  });

  test("arguments after -- are taken as they are", async () => {
    worker = wrappedWorker(server, ["--endpoint", endpoint, "--", "sh", "-c", "cat | tr a-z A-Z"], directory);
    expect(await run({ a: "b" })).toMatchObject({ output: { A: "B" } });
  });

  test("a program that does not read its input is fine", async () => {
    await start("exec echo done");
    const input = { text: "x".repeat(2_000_000) };
    expect(await run(input)).toMatchObject({ status: "COMPLETED", output: "done" });
  });

  const failures: [what: string, text: string, error: RegExp][] = [
    [
      "exit code 3 fails the job with the end of the error output",
      "for i in $(seq 2000); do echo line $i >&2; done; echo out of memory >&2; exit 3",
      /infer.sh ended with exit code 3: [^]*line 2000\nout of memory$/,
    ],
    ["an end by a signal fails the job", "kill -SEGV $$", /infer.sh ended with signal SIGSEGV\.$/],
    ["an error as output fails the job", `echo '{"error": "no such prompt"}'`, /^no such prompt$/],
    ["endless output fails the job", "yes", /^the output has more than 26214400 bytes/],
  ];
  test.each(failures)("%s, and the worker goes on", async (_what, text, error) => {
    await start(text, "--kill-grace", "500ms");
    for (let count = 0; count < 2; count++) {
      expect(await run()).toMatchObject({ status: "FAILED", error: expect.stringMatching(error) });
    }
  });

  test("the error output goes to the log with the job's id", async () => {
    await start("echo loading the model >&2; echo done");
    const { id } = await run();
    expect(await worker.line("loading the model")).toBe(
      `forebay worker: job ${String(id)}: loading the model`,
    );
  });

  test("with --lines each line is a chunk as it comes, and their list is the output", async () => {
    // It goes on only when a client has read the line before.
    await start(
      `echo '{"n": 1}'; until test -e '${directory}/go'; do sleep 0.02; done; echo; echo two`,
      "--lines",
    );
    const job = await server.run(endpoint);
    expect((await server.get(`/v2/${endpoint}/stream/${job}`)).json).toEqual([{ output: { n: 1 } }]);
    expect((await server.status(endpoint, job)).status).toBe("IN_PROGRESS");
    writeFileSync(join(directory, "go"), "");
    expect(await server.ended(endpoint, job)).toMatchObject({
      status: "COMPLETED",
      output: [{ n: 1 }, "two"],
    });
  });

  test("with --lines an exit code fails the job, and the chunks before it stay", async () => {
    await start("echo one; exit 4", "--lines");
    const { id, status, error } = await run();
    expect([status, error]).toEqual(["FAILED", expect.stringContaining("exit code 4")]);
    expect((await server.get(`/v2/${endpoint}/stream/${String(id)}`)).json).toEqual([{ output: "one" }]);
  });

  test("jobs run at the same time, as many as --concurrency says", async () => {
    // Each ends when both have begun.
    const both = `ls '${directory}' | grep -c begun | grep -q 2`;
    await start(`touch "${directory}/begun-$$"; until ${both}; do sleep 0.02; done`, "--concurrency", "2");
    const records = await Promise.all([run(), run()]);
    expect(records.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED"]);
  });

  test("what a job leaves behind in its group is killed with it", async () => {
    await start(
      `sleep 600 >/dev/null 2>&1 & echo $! >'${directory}/child'; sleep 600 & echo done`,
      "--kill-grace",
      "60s",
    );
    expect(await run()).toMatchObject({ status: "COMPLETED", output: "done" });
    const child = await pidIn("child");
    // Long before the grace is over; but what was killed takes a moment to be gone.
    await until("it is gone", () => !runs(child));
    await until("nothing is left", () => left().length === 0);
  });

  /** Says its pid, and goes on whatever it is told. */
  const deaf = (): string => `trap '' TERM; echo $$ >'${directory}/pid'; while :; do sleep 600; done`;

  test("cancel sends SIGTERM to the whole group, which may clean up", async () => {
    await start(
      `trap 'touch "${directory}/cleaned"; exit 0' TERM
      echo $$ >'${directory}/pid'; sleep 600 & wait`,
    );
    const job = await server.run(endpoint);
    const pid = await pidIn("pid");
    await server.post(`/v2/${endpoint}/cancel/${job}`);
    await until("it is gone", () => !runs(pid));
    expect(existsSync(join(directory, "cleaned"))).toBe(true);
  });

  test.each(["whole", "lines"])("cancel kills a job that ignores SIGTERM (%s)", async (how) => {
    const flags = how === "lines" ? ["--lines"] : [];
    await start(deaf(), "--kill-grace", "300ms", ...flags);
    const job = await server.run(endpoint);
    const pid = await pidIn("pid");
    expect(runs(pid)).toBe(true);
    await server.post(`/v2/${endpoint}/cancel/${job}`);
    await until("it is gone", () => !runs(pid));
    expect(await server.status(endpoint, job)).toMatchObject({ status: "CANCELLED" });
  });

  test("a job that times out is stopped", async () => {
    await start(`echo $$ >'${directory}/pid'; sleep 600 & sleep 600`);
    const job = await server.run(endpoint, {}, { policy: { executionTimeout: 5_001 } });
    const pid = await pidIn("pid");
    await until("it is gone", () => !runs(pid));
    expect(await server.status(endpoint, job)).toMatchObject({ status: "TIMED_OUT" });
  });

  test("SIGTERM lets a job end; a second one stops it, and the worker ends behind it", async () => {
    await start(deaf(), "--kill-grace", "300ms");
    await server.run(endpoint);
    const pid = await pidIn("pid");
    worker.signal("SIGTERM");
    await worker.line("takes no more jobs");
    const first = performance.now();
    await until("the next signal is another one", () => performance.now() - first > 350);
    expect(runs(pid)).toBe(true);
    worker.signal("SIGTERM");
    expect(await worker.exit()).toBe(0);
    expect(runs(pid)).toBe(false);
  });

  test("a worker that is killed leaves no job running", async () => {
    await start(deaf(), "--concurrency", "2");
    await server.run(endpoint);
    const pid = await pidIn("pid");
    expect(runs(pid)).toBe(true);
    await worker.kill();
    await until("it is gone", () => !runs(pid));
  });

  test("a worker whose endpoint is deleted ends with a sentence, exit code 2, and its job", async () => {
    await start(deaf(), "--kill-grace", "300ms");
    const job = await server.run(endpoint);
    const pid = await pidIn("pid");
    // It ignores this, and is still there when the worker hears that its token is gone.
    await server.post(`/v2/${endpoint}/cancel/${job}`);
    expect((await server.call("DELETE", `/v1/endpoints/${endpoint}`)).status).toBe(204);
    expect(await worker.exit()).toBe(2);
    expect(runs(pid)).toBe(false);
    expect(await worker.line("forebay worker: The server refuses this worker: ")).toBeString();
  });
});
