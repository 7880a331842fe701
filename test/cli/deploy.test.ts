import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { killedAtCall } from "../support/killed-at-call.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";

describe("forebay deploy of an image", () => {
  let server: TestServer;
  let directory: TemporaryDirectory;
  beforeAll(async () => {
    directory = await temporaryDirectory();
    const commands = join(directory.path, "commands.json");
    writeFileSync(commands, '{"fails": ["sh", "-c", "echo no model; exit 3"]}');
    server = await TestServer.start({ flags: { demo: "true", commands } });
  });
  afterAll(async () => {
    await server.stop();
    await directory[Symbol.asyncDispose]();
  });

  const start = (
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
    isInTerminal = false,
  ) => new ForebayCommand(["deploy", ...args], { env: { ...server.env, ...more }, isInTerminal });
  const deploy = (...args: string[]) => start(args).ended();
  const json = async (...args: string[]) => {
    const { status, stdout, stderr } = await deploy(...args, "--json");
    expect([status, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  const named = async (what: string, name: string): Promise<any[]> =>
    (await server.get(`/v1/${what}`)).json.filter((record: { name: string }) => record.name === name);
  const releases = async (name: string) => {
    const [{ id }] = await named("endpoints", name);
    return (await server.get(`/v1/endpoints/${id}/releases`)).json.releases;
  };

  test("creates all, starts a worker without a job, and prints a call that works", async () => {
    const { status, stdout, stderr } = await deploy("--image", "process/hello", "--name", "chat");
    expect(status).toBe(0);
    expect(stderr).toBe(
      "Created the template chat.\nCreated the endpoint chat.\nStarting a worker of version 1.\n",
    );
    const [endpoint] = await named("endpoints", "chat");
    expect(endpoint).toMatchObject({ workersMin: 0, workersMax: 3 });
    expect(stdout).toStartWith("chat is ready, version 1. Try it:\n");
    const [, curl = ""] = /^( {2}curl [^]*?\}')$/m.exec(stdout) ?? [];
    expect(curl).toContain(`${server.url}/v2/chat/runsync`);
    const tried = Bun.spawn(["sh", "-c", curl], { env: { ...process.env, ...server.env } });
    expect(await tried.stdout.json()).toMatchObject({ status: "COMPLETED" });
  });

  test("changes only what differs, and begins a release only where workers differ", async () => {
    const args = ["--image", "process/hello", "--name", "diff", "--idle-timeout", "9s"];
    expect((await json(...args, "--env", "A=1", "--env", "B=2")).changes).toEqual([
      "Created the template diff.",
      "Created the endpoint diff.",
    ]);
    const again = await deploy(...args, "--env", "B=2", "--env", "A=1");
    expect([again.status, again.stderr]).toEqual([0, ""]);
    expect(again.stdout).toStartWith("Nothing changed.\ndiff is ready, version 1. Try it:\n");
    // What is not named stays.
    expect((await json("--image", "process/hello", "--name", "diff")).changes).toEqual([]);
    expect(await json(...args, "--max", "7", "--min", "1")).toMatchObject({
      changes: ["Updated the endpoint diff: min, max."],
      version: 1,
    });
    expect(await json(...args, "--env", "A=3")).toMatchObject({
      changes: ["Updated the template diff: env."],
      version: 2,
      state: "COMPLETE",
    });
    expect((await named("templates", "diff"))[0].env).toEqual({ A: "3" });
    await json(...args, "--min", "0");
  });

  test("prints no variable, whether it comes by a flag, a file or from here", async () => {
    const file = join(directory.path, ".env");
    writeFileSync(file, "# of the test\n\nFILE=in-a-file=x\nHERE\n");
    const given = ["--env", "FLAG=in-a-flag", "--env", `@${file}`];
    const args = ["--image", "process/hello", "--name", "secrets", ...given];
    const { status, stdout, stderr } = await start(args, { HERE: "from-here" }).ended();
    expect(status).toBe(0);
    expect((await named("templates", "secrets"))[0].env).toEqual({
      FILE: "in-a-file=x",
      HERE: "from-here",
      FLAG: "in-a-flag",
    });
    for (const secret of ["in-a-file", "from-here", "in-a-flag"])
      expect(stdout + stderr).not.toContain(secret);
  });

  test("says why workers do not start, with their last lines, and tries again when run again", async () => {
    const args = ["--image", "process/fails", "--name", "broken"];
    const first = await deploy(...args);
    expect(first.status).toBe(1);
    expect(first.stderr).toEndWith(
      "Last output of the worker:\n  no model\n" +
        "forebay deploy: workers of version 1 do not start: exit code 3\n",
    );
    const second = await deploy(...args);
    expect(second.status).toBe(1);
    expect(second.stderr).toStartWith("Version 1 could not start. Trying it again as version 2.\n");
    expect(second.stderr).toContain("  no model\n");
    expect((await deploy("--image", "process/hello", "--name", "broken")).status).toBe(0);
    // Where one has served the release is stopped, and that one serves on.
    const stopped = await deploy(...args, "--json");
    expect([stopped.status, stopped.stderr]).toEqual([1, ""]);
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      state: "STOPPED",
      lastExit: { lastLines: ["no model"] },
    });
    expect((await releases("broken"))[0].state).toBe("STOPPED");
  });

  test("a command that is killed at any call leaves nothing that the next one does not find", async () => {
    const args = ["deploy", "--image", "process/hello", "--name", "killed", "--env", "A=1", "--max", "5"];
    let calls = 0;
    for (let isKilled = true; isKilled; calls++) {
      isKilled = await killedAtCall(args, { url: server.url, key: TEST_KEY }, calls);
    }
    expect(calls).toBeGreaterThan(6);
    expect(await json(...args.slice(1))).toMatchObject({ state: "COMPLETE", version: 1, changes: [] });
    for (const what of ["templates", "endpoints"]) expect(await named(what, "killed")).toHaveLength(1);
  });

  test("Ctrl-C ends the wait, and the last line says how to go on", async () => {
    await json("--image", "process/hello", "--name", "waits");
    await server.call("PATCH", `/v1/endpoints/${(await named("endpoints", "waits"))[0].id}`, {
      workersMin: 1,
    });
    const { templateId, id } = (await named("endpoints", "waits"))[0];
    await server.call("PATCH", `/v1/templates/${templateId}`, { env: { A: "2" } });
    await server.call("PATCH", `/v1/endpoints/${id}/releases/2`, { isPaused: true });
    const command = start(["--image", "process/hello", "--name", "waits"], {}, true);
    await command.printed("version 2 is paused");
    command.interrupt();
    const { status, stdout } = await command.ended();
    expect(status).toBe(130);
    expect(stdout).toEndWith("The release continues. Run the same command again to wait for it.\r\n");
  });

  test.each<[args: string[], sentence: string]>([
    [[], "name the endpoint: --name <name>."],
    [["a", "b", "--name", "x"], 'give one directory only, not also "b".'],
    [["/nowhere", "--name", "x"], "there is no directory /nowhere. Name the directory of the Dockerfile."],
    [
      ["/tmp", "--image", "a", "--name", "x"],
      "a directory and --image both name what to deploy. Leave one out.",
    ],
    [["--image", "a", "--name", "x", "--env", "A-B=1"], "--env: expected NAME=value, or NAME alone."],
    [
      ["--image", "a", "--name", "x", "--env", "NOT_SET_HERE"],
      "--env: NOT_SET_HERE has no value, and is not set here. Write NOT_SET_HERE=<value>.",
    ],
    [["--image", "a", "--name", "x", "--env", "@/nowhere"], "there is no file /nowhere."],
    [["--image", "a", "--name", "x", "--max", "many"], '--max must be a whole number, got "many".'],
  ])("%j is one sentence and exit code 2", async (args, sentence) => {
    const { status, stdout, stderr } = await deploy(...args);
    expect([status, stdout, stderr]).toEqual([2, "", `forebay deploy: ${sentence}\n`]);
  });

  test("a directory without a Dockerfile gets what to do, also for its handler", async () => {
    const place = join(directory.path, "empty");
    mkdirSync(place);
    const file = `${place}/Dockerfile`;
    const task = "It describes how to build an image of the directory.";
    const missing = `forebay deploy: ${file} is missing. ${task} `;
    const empty = await deploy(place, "--name", "x");
    expect([empty.status, empty.stderr]).toEqual([
      2,
      `${missing}Write one, or deploy an image that exists: --image <image>.\n`,
    ]);
    writeFileSync(join(place, "handler.py"), "");
    const { stderr } = await deploy(place, "--name", "x");
    expect(stderr).toEndWith(
      `${missing}Write one (docs/deploy-a-worker.md has one to copy), or run the handler here without an ` +
        `image: forebay worker --endpoint x --create -- python3 ${place}/handler.py\n`,
    );
  });

  test("a server without containers, and a paused endpoint, are reported", async () => {
    const none = await deploy("--image", "team/worker:1", "--name", "contained");
    expect(none.status).toBe(2);
    expect(none.stderr).toEndWith(
      "forebay deploy: the endpoint contained exists, but this server starts no containers. Start it with " +
        "--docker-host unix:///var/run/docker.sock, or run the worker yourself: " +
        "forebay worker --endpoint contained -- <program>\n",
    );
    await json("--image", "process/hello", "--name", "rests");
    const [{ id }] = await named("endpoints", "rests");
    await server.call("PATCH", `/v1/endpoints/${id}`, { isPaused: true });
    const paused = await deploy("--image", "process/hello", "--name", "rests");
    expect([paused.status, paused.stderr]).toEqual([
      2,
      "forebay deploy: the endpoint rests is updated, but paused, so no worker starts. " +
        `Resume it: forebay endpoints resume ${id}\n`,
    ]);
  });
});
