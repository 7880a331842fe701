import { describe, expect, test } from "bun:test";
import { stripVTControlCharacters } from "node:util";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freshWorker } from "../support/fresh-server.ts";
import { managedWorker } from "../support/managed-worker.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

describe("forebay job", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ server, endpoint, worker } = fresh));

  const start = (args: readonly string[], isInTerminal = false) =>
    new ForebayCommand(["job", ...args], { env: server.env, isInTerminal }).ended();

  /** A job that has failed, was tried again, and is at work. */
  async function triedTwice(error: string): Promise<string> {
    const id = await server.run(endpoint);
    await worker.take();
    await worker.stream(id, { output: 1 });
    await worker.done(id, { error });
    await server.post(`/v2/${endpoint}/retry/${id}`);
    await worker.take();
    return id;
  }

  test("prints a line for each moment: the time since the submission, what, and who", async () => {
    const id = await triedTwice("out of water");
    const { status, stdout, stderr } = await start([endpoint, id]);
    expect([status, stderr]).toEqual([0, ""]);
    const [first, second, empty, ...rows] = stdout.trimEnd().split("\n");
    expect([first, second, empty]).toEqual([`id      ${id}`, "status  IN_PROGRESS", ""]);
    const cells = rows.map((row) => row.trimEnd().split(/ {2,}/));
    expect(cells.map(([, ...others]) => others)).toEqual([
      ["WHAT", "WHO"],
      ["submitted"],
      ["attempt 1: handed out to a worker", worker.id],
      ["FAILED after 1 chunk: out of water", worker.id],
      ["queued again"],
      ["attempt 2: handed out to a worker", worker.id],
    ]);
    for (const [time] of cells.slice(1)) expect(time).toMatch(/^\+[0-9.]+ (ms|s)$/);
  });

  test("says on which host and GPUs each attempt ran, and for how many GPU seconds", async () => {
    const gpus = ["GPU-a", "GPU-b"].map((uuid) => ({ uuid, name: "NVIDIA L40S" }));
    const managed = await managedWorker(server, endpoint, { host: "docker", gpus });
    const id = await server.run(endpoint);
    await managed.take();
    await managed.stream(id, { output: 1 });
    await managed.done(id, { output: 1 });
    const [{ gpuSeconds }] = (await server.get(`/v1/endpoints/${endpoint}/jobs/${id}`)).json.attempts;
    const { stdout } = await start([endpoint, id]);
    const cells = stdout.trimEnd().split("\n").slice(5);
    expect(cells.map((row) => row.trimEnd().split(/ {2,}/).slice(1))).toEqual([
      ["attempt 1: handed out to a worker of version 3 on docker", managed.id],
      ["its GPUs: 2 × NVIDIA L40S", managed.id],
      [`COMPLETED after 1 chunk and ${gpuSeconds} GPU seconds`, managed.id],
    ]);
  });

  test("of a job that waits it says why; --json prints the answer as it came", async () => {
    const id = await server.run(endpoint);
    const { stdout } = await start([endpoint, id]);
    expect(stdout).toContain("\nposition  1\n");
    expect(stdout).toContain("\n\nIt waits (NO_WORKERS):\nNo worker is connected. Start one: ");
    const { text } = await server.get(`/v1/endpoints/${endpoint}/jobs/${id}`);
    expect((await start([endpoint, id, "--json"])).stdout).toBe(`${text}\n`);
  });

  test("in a terminal of 80 columns no line is wider, and no text of others is obeyed", async () => {
    const id = await triedTwice(`\x1b[2J${"long ".repeat(60)}`);
    const waiting = await server.run(endpoint);
    for (const job of [id, waiting]) {
      const { status, stdout } = await start([endpoint, job], true);
      expect(status).toBe(0);
      expect(stdout).not.toContain("\x1b[2J");
      const lines = stripVTControlCharacters(stdout).trimEnd().split("\r\n");
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
      if (job === id) expect(lines.find((line) => line.includes("FAILED"))).toContain("…");
    }
  });

  test("a job that is not there is a fault in one line", async () => {
    const { status, stdout, stderr } = await start([endpoint, "none"]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("forebay job: There is no job none. forebay requests <endpoint> lists its jobs.\n");
  });
});
