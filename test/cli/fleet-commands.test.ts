import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

/** The endpoint of the example, whose workers the server starts. */
const HELLO = "hello";

describe("the commands for workers and releases", () => {
  let server: TestServer;
  let directory: TemporaryDirectory;
  let template: string;
  beforeAll(async () => {
    directory = await temporaryDirectory();
    const commands = join(directory.path, "commands.json");
    await writeFile(commands, '{"fails": ["false"]}');
    server = await TestServer.start({ flags: { demo: "true", commands } });
    template = (await server.get(`/v1/endpoints/${HELLO}`)).json.templateId;
  });
  afterAll(async () => {
    await server.stop();
    await directory[Symbol.asyncDispose]();
  });

  const start = (args: readonly string[], isInTerminal = false) =>
    new ForebayCommand(args, { env: server.env, isInTerminal });
  const forebay = (...args: string[]): Promise<string> => start(args).output();

  const workers = async (): Promise<object[]> =>
    (await server.get(`/v1/endpoints/${HELLO}/workers`)).json.workers;

  test("a release is followed until a worker of it serves, and rolled back", async () => {
    await server.post(`/v2/${HELLO}/runsync`, { input: {} });
    await forebay("endpoints", "pause", HELLO);
    await until("no worker is left", async () => (await workers()).length === 0);
    await forebay("templates", "update", template, "--env", "A=2");
    const watching = start(["releases", "list", HELLO, "--watch"], true);
    await watching.printed("version 2 ROLLING: 0 of 0 workers");
    await forebay("endpoints", "resume", HELLO);
    await server.post(`/v2/${HELLO}/runsync`, { input: {} });
    const { status, stdout } = await watching.ended();
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/\r\n2 +COMPLETE +20\S+ +process\/hello *\r\n1 /),
    ]);

    const back = start(["releases", "roll-back", HELLO, "1", "--watch", "--json"]);
    await until("the third release begins", async () => {
      const { releases } = (await server.get(`/v1/endpoints/${HELLO}/releases`)).json;
      return releases.length === 3;
    });
    await server.post(`/v2/${HELLO}/runsync`, { input: {} });
    const { releases } = JSON.parse((await back.ended()).stdout);
    expect(releases[0]).toMatchObject({ version: 3, state: "COMPLETE", rollbackTo: 1 });
  });

  test("a release is paused and resumed, the newest or the one that is named", async () => {
    const release = async (): Promise<{ version: number; state: string }> =>
      (await server.get(`/v1/endpoints/${HELLO}/releases`)).json.releases[0];
    await server.post(`/v2/${HELLO}/runsync`, { input: {} });
    await forebay("endpoints", "pause", HELLO);
    await forebay("templates", "update", template, "--env", "A=3");
    const { version } = await release();
    expect(await forebay("releases", "pause", HELLO)).toMatch(
      new RegExp(`^VERSION .*PAUSED.*\\n${version} +PAUSED +20\\S+ +process/hello +20`),
    );
    const watching = start(["releases", "list", HELLO, "--watch"], true);
    await watching.printed(`version ${version} PAUSED: 0 of `);
    const named = await start(["releases", "pause", HELLO, "--version", "1"]).ended();
    expect([named.status, named.stderr]).toEqual([2, expect.stringContaining("Release 1 is REPLACED.")]);
    const resumed = await forebay("releases", "resume", HELLO, "--version", String(version), "--json");
    expect(JSON.parse(resumed)).toMatchObject({ version, state: "ROLLING" });
    await forebay("endpoints", "resume", HELLO);
    await server.post(`/v2/${HELLO}/runsync`, { input: {} });
    expect((await watching.ended()).status).toBe(0);
    expect((await release()).state).toBe("COMPLETE");
    const none = await start(["releases", "pause", await server.endpoint()]).ended();
    expect([none.status, none.stderr]).toEqual([
      2,
      "forebay releases pause: the endpoint has no releases, because Forebay starts no workers for it.\n",
    ]);
  });

  test("a release starts a worker without a job", async () => {
    const { json } = await server.post("/v1/templates", { name: "rests", imageName: "process/hello" });
    const endpoint = await server.endpoint({ templateId: json.id, workersMin: 0 });
    const resumed = await forebay("releases", "resume", endpoint, "--start", "--json");
    expect(JSON.parse(resumed)).toMatchObject({ version: 1, state: "ROLLING" });
    expect(await forebay("releases", "list", endpoint, "--watch")).toMatch(/^VERSION .*\n1 +COMPLETE /);
  });

  test("a release whose workers do not start ends the watch with exit code 1", async () => {
    await server.post(`/v2/${HELLO}/runsync`, { input: {} });
    await server.call("PATCH", `/v1/templates/${template}`, { imageName: "process/fails" });
    await server.call("PATCH", `/v1/endpoints/${HELLO}`, { workersMin: 1 });
    const { status, stdout } = await start(["releases", "list", HELLO, "--watch"]).ended();
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^VERSION .*\n\d+ +STOPPED /)]);
  });

  test("workers are listed, and those that came by themselves stopped", async () => {
    const endpoint = await server.endpoint();
    expect(await forebay("workers", "list", endpoint)).toBe("no worker\n");
    const worker = await server.worker(endpoint);
    const job = await server.run(endpoint);
    await worker.take(1);
    const listed = await forebay("workers", "list", endpoint);
    const [heads = "", row = ""] = listed.split("\n");
    expect(heads).toMatch(/^ID +STATE +VERSION +JOBS +BY +HOST +HEARTBEATS +LAST CALL +STARTED +REASON *$/);
    expect(row).toMatch(/^\S+ +RUNNING +1 +itself +yes +20/);
    const [id = ""] = (listed.split("\n")[1] ?? "").split(" ");
    expect(await forebay("workers", "stop", endpoint, id)).toBe(`${id} is being stopped\n`);
    expect((await server.status(endpoint, job)).status).toBe("IN_QUEUE");
  });
});

describe("a server that is busy is called again", () => {
  /** Runs a command at a server whose first answer is this, and counts its calls. */
  async function called(args: readonly string[], first: () => Response, isInTerminal = false) {
    let calls = 0;
    const server = Bun.serve({
      port: 0,
      fetch: () => (++calls === 1 ? first() : Response.json({ id: "a", removed: 3, status: "completed" })),
    });
    try {
      const env = { FOREBAY_URL: server.url.origin, FOREBAY_KEY: TEST_KEY };
      return { ...(await new ForebayCommand(args, { env, isInTerminal }).ended()), calls };
    } finally {
      await server.stop(true);
    }
  }
  const refusal =
    (status: number, code: string, headers = {}) =>
    () =>
      Response.json({ error: "Not now.", code, status }, { status, headers });

  test("7 fact 3: after a 429 for as long as it says, and a terminal shows that", async () => {
    const limited = refusal(429, "RATE_LIMITED", { "retry-after": "1" });
    const told = await called(["purge", "e"], limited, true);
    expect(told).toMatchObject({ status: 0, calls: 2 });
    expect(told.stdout).toMatch(/^Not now\. Trying again in 1\.\d s\.\r\n3 waiting jobs removed\r\n$/);
    const silent = await called(["keys", "rotate", "k", "--json"], limited);
    expect(silent).toMatchObject({ status: 0, calls: 2, stderr: "" });
  });

  test("not where the call may have been done, and not for longer than 15 s", async () => {
    const unknown = await called(["purge", "e"], refusal(503, "STORAGE_UNAVAILABLE"));
    expect(unknown).toMatchObject({ status: 2, calls: 1, stderr: "forebay purge: Not now.\n" });
    const hidden = await called(["keys", "rotate", "k"], () => new Response("<h1>", { status: 502 }));
    expect(hidden).toMatchObject({ status: 2, calls: 1 });
    const long = await called(["health", "e"], refusal(429, "RATE_LIMITED", { "retry-after": "16" }));
    expect(long).toMatchObject({ status: 2, calls: 1 });
  });
});
