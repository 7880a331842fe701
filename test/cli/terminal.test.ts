import { describe, expect, test } from "bun:test";
import { stripVTControlCharacters } from "node:util";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freshWorker } from "../support/fresh-server.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

const ERASE_LINE = "\r\x1b[K";

describe("the commands of the queue, in a terminal of 80 columns", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ server, endpoint, worker } = fresh));

  const start = (args: readonly string[], env = {}) =>
    new ForebayCommand(args, { env: { ...server.env, ...env }, isInTerminal: true });

  test("a wait shows state and progress on one line, which is erased at the end", async () => {
    const command = start(["runsync", endpoint]);
    const { id } = (await worker.take()).json;
    await worker.done(id, { status: "IN_PROGRESS", output: { step: "x".repeat(100) } });
    await command.printed('{"step":"xxx');
    await worker.done(id, { output: 1 });
    const { status, stdout } = await command.ended();
    expect(status).toBe(0);
    const lines = stdout.split(ERASE_LINE);
    const record = lines.pop() ?? "";
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      expect(line).toMatch(/^$|^IN_(QUEUE|PROGRESS) {2}[0-9.]+ (ms|s)/);
      expect(line.length).toBeLessThan(80);
    }
    expect(stripVTControlCharacters(record)).toStartWith(`id      ${id}\r\nstatus  COMPLETED\r\n`);
  });

  test("a wait without workers says why, and the command to paste", async () => {
    const alone = await server.endpoint({ name: "alone" });
    const command = start(["runsync", "alone"]);
    await command.printed("No worker is connected.");
    await command.printed("forebay worker env --endpoint alone\r\n");
    const other = await server.worker(alone);
    const { id } = (await other.take()).json;
    await other.done(id, { output: 1 });
    const { status, stdout } = await command.ended();
    expect(status).toBe(0);
    expect(stdout.match(/No worker is connected/g)).toHaveLength(1);
  });

  test("states have colours, and none where NO_COLOR is set", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    await worker.done(id, { error: "no" });
    const coloured = await start(["status", endpoint, id]).ended();
    expect([coloured.status, coloured.stdout]).toEqual([
      1,
      expect.stringContaining("\x1b[31mFAILED\x1b[39m"),
    ]);
    const plain = await start(["status", endpoint, id], { NO_COLOR: "1" }).ended();
    expect(plain.stdout).toBe(stripVTControlCharacters(coloured.stdout));
  });

  test("the table of requests has no line that is wider", async () => {
    await server.run(endpoint);
    await worker.take();
    await server.post(`/v2/${endpoint}/runsync?wait=1000`, { input: {} });
    const { stdout } = await start(["requests", endpoint]).ended();
    const lines = stripVTControlCharacters(stdout).trimEnd().split("\r\n");
    expect(lines.length).toBe(3);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[0]).toMatch(/^ID +STATUS +WAITED +RAN/);
  });

  test.each(["runsync", "status --wait"])("Ctrl-C ends %s; the job goes on", async (words) => {
    const [name = "", ...flags] = words.split(" ");
    const job = name === "status" ? [await server.run(endpoint)] : [];
    const command = start([name, endpoint, ...job, ...flags]);
    await command.printed("IN_QUEUE");
    command.interrupt();
    const { status, stdout } = await command.ended();
    expect(status).toBe(130);
    const [, goOn = ""] = /The job continues. To wait for it again: forebay (.*)\r\n$/.exec(stdout) ?? [];
    const { id } = (await worker.take()).json;
    expect(goOn).toBe(`status ${endpoint} ${id} --wait`);
    const again = start([...goOn.split(" "), "--json"]).ended();
    await worker.done(id, { output: "kept" });
    expect((await again).stdout).toContain('"output":"kept"');
  });

  test("Ctrl-C before runsync knows its job waits for the id", async () => {
    const command = start(["runsync", endpoint]);
    const { id } = (await worker.take()).json;
    command.interrupt();
    const { status, stdout } = await command.ended();
    expect(status).toBe(130);
    expect(stdout).toEndWith(`To wait for it again: forebay status ${endpoint} ${id} --wait\r\n`);
  });

  test("Ctrl-C ends stream, and says how to read on", async () => {
    const id = await server.run(endpoint);
    await worker.take();
    await worker.stream(id, { output: "Hel" });
    const command = start(["stream", endpoint, id]);
    await command.printed("Hel");
    command.interrupt();
    const { status, stdout } = await command.ended();
    expect(status).toBe(130);
    const [, goOn = ""] = /^Hel\r\nThe job continues. To read on: forebay (.*)\r\n$/.exec(stdout) ?? [];
    await worker.stream(id, { output: "lo" });
    await worker.done(id, { output: [] });
    expect(await start(goOn.split(" ")).ended()).toMatchObject({ status: 0, stdout: "lo\r\n" });
  });
});
