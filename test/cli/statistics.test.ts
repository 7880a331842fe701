import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { stripVTControlCharacters } from "node:util";
import { ForebayCommand } from "../support/forebay-command.ts";
import { TestServer } from "../support/test-server.ts";

describe("forebay statistics", () => {
  let server: TestServer;
  let endpoint: string;
  beforeEach(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    for (let n = 0; n < 3; n++) await server.run(endpoint);
    const { json: job } = await worker.take();
    await worker.done(job.id, { output: 1 });
  });
  afterEach(() => server.stop());

  const ended = (args: readonly string[], isInTerminal = false) =>
    new ForebayCommand(["statistics", ...args], { env: server.env, isInTerminal }).ended();

  test("shows what waits, runs and has happened, and the percentiles of the times", async () => {
    const { status, stdout, stderr } = await ended([endpoint]);
    expect([stderr, status]).toEqual(["", 0]);
    const time = String.raw`(?:\d+ ms|[\d.]+ s)`;
    const [now = "", period, counts = "", times = ""] = stdout.trimEnd().split("\n\n");
    const lines = ["jobs in queue +2", `oldest of them +${time}`, "jobs in progress +0", "workers +1 idle"];
    expect(now).toMatch(new RegExp(`^${lines.join("\n")}$`));
    expect(period).toBe("The last 1h:");
    for (const line of [/^submitted +3$/m, /^handed out +1$/m, /^completed +1$/m, /^lost attempts +0$/m]) {
      expect(counts).toMatch(line);
    }
    expect(times).toMatch(/^TIMES +JOBS +P50 +P95 +P99\n/);
    expect(times).toMatch(new RegExp(`\nuntil the hand-out +1 +${time} +${time} +${time}\n`));
    expect(times).toMatch(new RegExp(`\nfrom there to the end +1 +${time} +${time} +${time}$`));
  });

  test("fits into a terminal of 80 columns, and answers the server's JSON to programs", async () => {
    const { status, stdout } = await ended([endpoint, "--period", "30d"], true);
    expect(status).toBe(0);
    const lines = stripVTControlCharacters(stdout).split("\r\n");
    expect(lines).toContain("The last 30d:");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);

    const answer = JSON.parse((await ended([endpoint, "--json", "--period", "7d"])).stdout);
    expect(answer).toMatchObject({ endpointId: endpoint, period: "7d", total: { submitted: 3 } });
    expect(answer.points).toHaveLength(1);
  });

  test("without an endpoint there is a line for each one", async () => {
    const { status, stdout } = await ended([], true);
    expect(status).toBe(0);
    const [head = "", line = ""] = stripVTControlCharacters(stdout).split("\r\n");
    expect(head).toMatch(/^ENDPOINT +QUEUE +RUNS +DONE +FAILED +WAIT P95 +RUN P95( +NAME)?$/);
    expect(line).toMatch(new RegExp(`^${endpoint} +2 +0 +1 +0 +.*s\\b`));
    expect(Math.max(head.length, line.length)).toBeLessThanOrEqual(80);

    const { endpoints } = JSON.parse((await ended(["--json"])).stdout);
    expect(endpoints).toMatchObject([{ endpointId: endpoint, now: { inQueue: 2 }, total: { completed: 1 } }]);
  });

  test("a fault is exit code 2, and says what to do", async () => {
    const faults: [words: string[], said: string][] = [
      [[endpoint, endpoint], `unexpected argument "${endpoint}". See --help.`],
      [[".."], "there is no endpoint ..."],
      [["absent"], "There is no endpoint absent. forebay endpoints list shows all endpoints."],
      [[endpoint, "--period", "2h"], "period is invalid; must be one of 15m, 1h, 24h, 7d, 30d."],
    ];
    for (const [words, said] of faults) {
      expect(await ended(words)).toEqual({ status: 2, stdout: "", stderr: `forebay statistics: ${said}\n` });
    }
  });
});
