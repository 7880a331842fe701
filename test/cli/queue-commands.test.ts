import { describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freshWorker } from "../support/fresh-server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

describe("the commands of the queue, without a terminal", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ server, endpoint, worker } = fresh));

  const start = (args: readonly string[], input?: string) => {
    const { env } = server;
    return new ForebayCommand(args, input === undefined ? { env } : { env, input });
  };
  /** What a command prints that ends with this exit code. */
  async function forebay(args: readonly string[], expected = 0, input?: string): Promise<string> {
    const stdout = await start(args, input).output(expected);
    expect(stdout).not.toContain("\x1b");
    return stdout;
  }
  const json = async (args: readonly string[], expected = 0) =>
    JSON.parse(await forebay([...args, "--json"], expected));

  test("run prints the id of a job that has all the flags say, status its record", async () => {
    const times = ["--ttl", "1m 30s", "--execution-timeout", "60000"];
    const flags = [...times, "--low-priority", "--tag", "a", "--tag", "b"];
    const text = await forebay(["run", endpoint, '{"n": 1}', ...flags, "--webhook", "https://a.example/"]);
    const { id, ...submission } = (await worker.take()).json;
    expect(text).toBe(`id      ${id}\nstatus  IN_QUEUE\n`);
    expect(submission).toEqual({
      input: { n: 1 },
      webhook: "https://a.example/",
      policy: { ttl: 90_000, executionTimeout: 60_000, tags: ["a", "b"], lowPriority: true },
    });
    expect(await json(["status", endpoint, id])).toMatchObject({ id, status: "IN_PROGRESS" });
    await worker.done(id, { status: "IN_PROGRESS", output: [1] });
    expect(await forebay(["status", endpoint, id])).toContain("progress  [1]\n");
    await worker.done(id, { output: { text: "é" } });
    const record = await forebay(["status", endpoint, id]);
    expect(record).toMatch(
      /^id {6}\S+\nstatus {2}COMPLETED\nwaited {2}.*\nran {5}.*\nworker {2}\S+\n\n\{\n {2}"text": "é"\n\}\n$/,
    );
  });

  test("the input can be pairs, a file, the standard input, or nothing", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "input.json");
    await writeFile(file, '{"from": "file"}');
    const ways: [words: string[], stdin: string | undefined, input: unknown][] = [
      [
        ["name=world", "text=a=b", "n:=3", "list:=[1]"],
        undefined,
        { name: "world", text: "a=b", n: 3, list: [1] },
      ],
      [[`@${file}`], undefined, { from: "file" }],
      [["-"], '{"from": "stdin"}', { from: "stdin" }],
      [[], undefined, {}],
    ];
    for (const [words, stdin, input] of ways) {
      await forebay(["run", endpoint, ...words], 0, stdin);
      const { json: job } = await worker.take();
      expect(job.input).toEqual(input);
      await worker.done(job.id, { output: 1 });
    }
  });

  test("runsync waits for the end, and its exit code shows how the job ended", async () => {
    const completed = json(["runsync", endpoint]);
    await worker.done((await worker.take()).json.id, { output: "done" });
    expect(await completed).toMatchObject({ status: "COMPLETED", output: "done" });
    const failed = forebay(["runsync", endpoint], 1);
    await worker.done((await worker.take()).json.id, { error: "no such model" });
    expect(await failed).toContain("error   no such model\n");
    const cancelled = json(["runsync", endpoint], 1);
    const { id } = (await worker.take()).json;
    expect(await json(["cancel", endpoint, id])).toEqual({ id, status: "CANCELLED" });
    expect(await cancelled).toMatchObject({ id, status: "CANCELLED" });
  });

  test("status --wait waits for the end", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    const waiting = json(["status", endpoint, id, "--wait"]);
    await worker.done(id, { output: 1 });
    expect(await waiting).toMatchObject({ status: "COMPLETED" });
  });

  test("stream prints text as it comes, and other chunks as lines", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    await worker.stream(id, { output: "Hel" });
    const command = start(["stream", endpoint, id]);
    await command.printed("Hel");
    await worker.stream(id, { output: "lo" });
    await command.printed("Hello");
    await worker.stream(id, { output: { n: 1 } });
    await worker.stream(id, { output: " end" });
    await worker.done(id, { output: [] });
    expect(await command.ended()).toEqual({ status: 0, stdout: 'Hello\n{"n":1}\n end', stderr: "" });
    expect(await forebay(["stream", endpoint, id, "--from", "2", "--json"])).toBe(
      '{"index":2,"output":{"n":1}}\n{"index":3,"output":" end"}\n',
    );
  });

  test("stream of a job that failed says so after its chunks", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    await worker.stream(id, { output: "a" });
    await worker.done(id, { error: "out of memory" });
    expect(await start(["stream", endpoint, id]).ended()).toEqual({
      status: 1,
      stdout: "a",
      stderr: "forebay stream: the job ended FAILED: out of memory\n",
    });
  });

  test("retry, requests, health and purge", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    await worker.done(id, { error: "no" });
    expect(await forebay(["retry", endpoint, id])).toBe(`id      ${id}\nstatus  IN_QUEUE\n`);
    expect(await json(["requests", endpoint])).toMatchObject({ requests: [{ id, status: "IN_QUEUE" }] });
    const [titles = "", row = "", ...more] = (await forebay(["requests", endpoint])).split("\n");
    expect(titles).toMatch(/^ID +STATUS +WAITED +RAN +LOST +WORKER$/);
    expect(row).toStartWith(`${id}  IN_QUEUE  `);
    expect(more).toEqual([""]);
    expect(await forebay(["requests", endpoint, "--status", "IN_PROGRESS"])).toBe(
      "no job that is IN_PROGRESS\n",
    );
    expect(await forebay(["health", endpoint])).toContain("jobs in queue         1\n");
    expect(await json(["health", endpoint])).toMatchObject({
      jobs: { retried: 1 },
      workers: { idle: expect.any(Number) },
    });
    expect(await forebay(["purge", endpoint])).toBe("1 waiting job removed\n");
    expect(await json(["purge", endpoint])).toEqual({ removed: 0, status: "completed" });
  });

  test.each([[], ["--status", "IN_QUEUE"]])("requests says how to see more: %p", async (...flags) => {
    const first = await server.run(endpoint);
    const last = await server.run(endpoint);
    const lines = (await forebay(["requests", endpoint, ...flags, "--limit", "1"])).split("\n");
    expect(lines[1]).toStartWith(last);
    const [, command = ""] = /^There are more: forebay (.*)$/.exec(lines[2] ?? "") ?? [];
    expect((await json(command.split(" "))).requests[0]).toMatchObject({ id: first });
  });

  test("requests lists what has ended", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    await worker.done(id, { error: "no" });
    expect(await json(["requests", endpoint, "--status", "FAILED"])).toMatchObject({
      requests: [{ id, status: "FAILED", executionTime: expect.any(Number) }],
    });
    expect(await forebay(["requests", endpoint, "--status", "COMPLETED"])).toBe("no job that is COMPLETED\n");
  });
});
