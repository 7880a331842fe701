import { describe, expect, test } from "bun:test";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freshWorker } from "../support/fresh-server.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

/** Clears a screen; turns the direction of text. */
const HOSTILE = "out of \u202ememory\u001b[2J";

describe("forebay jobs retry, resubmit and cancel", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ server, endpoint, worker } = fresh));

  const command = (args: readonly string[], isInTerminal = false) =>
    new ForebayCommand(["jobs", ...args], { env: server.env, isInTerminal });
  const start = (...args: string[]) => command(args).ended();
  const one = async (id: string) => (await server.get(`/v1/jobs/${id}`)).json;

  /** Jobs that have failed and are in the history. */
  async function failed(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const id = await server.run(endpoint, { n }, { policy: { tags: ["t"] } });
      await worker.take();
      await worker.done(id, { error: HOSTILE });
      ids.push(id);
    }
    await until("they are in the history", async () => {
      return (await server.get("/v1/jobs?state=FAILED")).json.jobs.length === count;
    });
    return ids;
  }

  test("counts, and with --yes resubmits all that match and waits for the end", async () => {
    const sources = await failed(2);
    const counted = await start("resubmit", "--error", "of \u202eMEM", "--dry-run");
    expect(counted).toEqual({ status: 0, stdout: "2 jobs match. 2 can be resubmitted.\n", stderr: "" });
    const { status, stdout, stderr } = await start("resubmit", "--tag", "t", "--state", "FAILED", "--yes");
    expect([status, stderr]).toEqual([0, "2 jobs match. 2 can be resubmitted.\n"]);
    expect(stdout).toMatch(/^operation +\w+\naction +resubmit\nstate +COMPLETED\njobs +2\ndone +2\n/);
    const { jobs } = (await server.get("/v1/jobs?state=IN_QUEUE")).json;
    expect(jobs.map((job: { resubmittedFrom: { id: string } }) => job.resubmittedFrom.id).toSorted()).toEqual(
      sources.toSorted(),
    );
    const shown = await new ForebayCommand(["job", jobs[0].id], { env: server.env }).ended();
    expect(shown.stdout).toMatch(new RegExp(`^made from +${jobs[0].resubmittedFrom.id}$`, "m"));
  });

  test("asks in a terminal: y goes on, anything else changes nothing", async () => {
    const [id = ""] = await failed(1);
    const refused = command(["retry", "--tag", "t"], true);
    await refused.printed("1 job matches. 1 can be retried.");
    await refused.printed("Shall these jobs be retried? [y/N]");
    refused.type("n\r");
    expect((await refused.ended()).status).toBe(0);
    expect((await one(id)).status).toBe("FAILED");

    const accepted = command(["retry", "--tag", "t"], true);
    await accepted.printed("[y/N]");
    accepted.type("y\r");
    expect((await accepted.ended()).status).toBe(0);
    expect((await one(id)).status).toBe("IN_QUEUE");
  });

  test.each([
    ["Ctrl-C", "\x03"],
    ["Ctrl-D", "\x04"],
  ])("%s at the question changes nothing, and says so", async (_name, keys) => {
    const [id = ""] = await failed(1);
    const asked = command(["retry", "--tag", "t"], true);
    await asked.printed("[y/N]");
    asked.type(keys);
    const { status, stdout } = await asked.ended();
    expect([status, stdout]).toEqual([130, expect.stringContaining("Nothing was done.")]);
    expect(stdout).not.toContain("Error");
    expect((await one(id)).status).toBe("FAILED");
  });

  test("without a terminal it requires --yes, and without a condition it refuses", async () => {
    const [id = ""] = await failed(1);
    const unanswered = await start("retry", "--id", id);
    expect(unanswered.status).toBe(2);
    expect(unanswered.stderr).toContain("Add --yes.");
    const empty = await start("cancel", "--yes");
    expect(empty.status).toBe(2);
    expect(empty.stderr).toContain("name at least one condition, such as --state");
    expect((await one(id)).status).toBe("FAILED");
  });

  test("says what cannot be done and why, and begins nothing", async () => {
    await failed(1);
    const { status, stdout } = await start("cancel", "--endpoint", endpoint, "--yes");
    expect([status, stdout]).toEqual([0, "1 job matches. 0 can be cancelled. 1 cannot: 1 ALREADY_ENDED.\n"]);
    expect((await start("operations")).stdout).toBe("no operations\n");
  });

  test("--no-wait prints the operation, which is listed and can be stopped", async () => {
    await failed(2);
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { maxQueuedJobs: 1 });
    const begun = JSON.parse((await start("resubmit", "--tag", "t", "--yes", "--no-wait", "--json")).stdout);
    expect(begun).toMatchObject({ action: "resubmit", state: "RUNNING", matches: 2 });
    expect((await start("operations")).stdout).toMatch(new RegExp(`${begun.id} +resubmit +RUNNING +2 `));
    const stopped = await start("stop", begun.id);
    expect([stopped.status, stopped.stdout]).toEqual([0, expect.stringMatching(/state +CANCELLED/)]);
    const unknown = await start("stop", "nothing");
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      expect.stringContaining("There is no job operation nothing."),
    ]);
  });

  test("--jsonl prints each job as one line, --all of every page", async () => {
    for (let n = 0; n < 12; n++) await server.run(endpoint, { n });
    const lines = (await start("--all", "--jsonl")).stdout.trimEnd().split("\n");
    expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(12);
    expect((await start("--jsonl", "--limit", "5")).stdout.trimEnd().split("\n")).toHaveLength(5);
    expect(JSON.parse((await start("--all", "--json")).stdout).jobs).toHaveLength(12);
    const both = await start("--all", "--limit", "5");
    expect([both.status, both.stderr]).toEqual([2, expect.stringContaining("--all and --limit exclude")]);
  });
});
