import { describe, expect, test } from "bun:test";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freshWorker } from "../support/fresh-server.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

/** Clears a screen; turns the direction of text. */
const HOSTILE = "CUDA\u001b[2J out of \u202ememory";

describe("forebay jobs, and jobs without their endpoint", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ server, endpoint, worker } = fresh), { flags: { "run-retention-ms": "1000" } });

  const start = (args: readonly string[], isInTerminal = false) =>
    new ForebayCommand(args, { env: server.env, isInTerminal }).ended();

  /** A job that has failed, and whose result has expired. */
  async function expired(): Promise<string> {
    const id = await server.run(endpoint, { prompt: "castle" }, { policy: { tags: ["night", "<b>"] } });
    await worker.take();
    await worker.done(id, { error: `${HOSTILE}\nline two` });
    await until("the result expires", async () => {
      return (await server.get(`/v2/${endpoint}/status/${id}`)).json.code === "JOB_NOT_FOUND";
    });
    return id;
  }

  test("lists jobs of queues and of the history, and hostile texts stay texts", async () => {
    const failed = await expired();
    const waiting = await server.run(endpoint);
    const { status, stdout, stderr } = await start(["jobs"]);
    expect([status, stderr]).toEqual([0, ""]);
    const [head = "", first = "", second = "", ...rest] = stdout.trimEnd().split("\n");
    expect(head.trimEnd().split(/ {2,}/)).toEqual([
      "SUBMITTED",
      "ID",
      "STATUS",
      "ENDPOINT",
      "RAN",
      "ERROR OR INPUT",
      "TAGS",
    ]);
    expect([first.includes(waiting), second.includes(failed), rest]).toEqual([true, true, []]);
    expect(second).toContain("CUDA\\u001b[2J out of \\u202ememory");
    expect(second).toEndWith("night <b>");

    const answer = JSON.parse((await start(["jobs", "--json", "--tag", "night"])).stdout);
    expect(answer.jobs.map((job: { id: string }) => job.id)).toEqual([failed]);
    for (const flags of [
      ["--error", "MEMORY"],
      ["--state", "FAILED", "--state", "COMPLETED"],
      ["--min-duration", "0"],
    ]) {
      expect((await start(["jobs", ...flags, "--endpoint", endpoint])).stdout).toContain(failed);
    }
    expect((await start(["jobs", "--release", "1"])).stdout).toBe("no jobs found\n");
    const wrong = await start(["jobs", "--from", "yesterday"]);
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("from is invalid; must be a time like"),
    ]);
  });

  test("--limit reads page after page, and says when there are more", async () => {
    for (let n = 0; n < 3; n++) await server.run(endpoint);
    const { stdout, stderr } = await start(["jobs", "--limit", "2", "--json"]);
    expect(JSON.parse(stdout).jobs).toHaveLength(2);
    expect(stderr).toBe("There are more jobs. Show more with --limit 20, or all with --all.\n");
    expect((await start(["jobs", "--limit", "3"])).stderr).toBe("");
  });

  test("forebay job needs no endpoint, and shows the record in the history of an expired job", async () => {
    const waiting = await server.run(endpoint);
    expect((await start(["job", waiting])).stdout).toContain("It waits (NO_WORKERS)");
    await server.post(`/v2/${endpoint}/purge-queue`);
    const failed = await expired();
    for (const words of [[failed], [endpoint, failed]]) {
      const { status, stdout } = await start(["job", ...words]);
      expect(status).toBe(0);
      expect(stdout).toMatch(/^status +FAILED$/m);
      expect(stdout).toMatch(/^tags +night <b>$/m);
      expect(stdout).toMatch(/^input +\{"prompt":"castle"\}$/m);
      expect(stdout).toContain("CUDA\\u001b[2J out of \\u202ememory");
      expect(stdout).toEndWith("Its result has expired: this is its record in the history.\n");
      expect(JSON.parse((await start(["job", ...words, "--json"])).stdout)).toMatchObject({ id: failed });
    }
    expect((await start(["input", failed])).stdout).toBe('{"prompt":"castle"}\n');
    const other = await server.endpoint();
    const elsewhere = await start(["job", other, failed]);
    expect([elsewhere.status, elsewhere.stderr]).toEqual([2, expect.stringContaining("is not on")]);
    expect((await start(["job", "absent"])).stderr).toContain("There is no job absent.");
  });
});
