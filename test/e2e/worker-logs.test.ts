import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { ServerProcess } from "../support/server-process.ts";
import { linesOf, TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

describe("what workers print", () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await ServerProcess.start({
      commands: {
        program: [process.execPath, PROGRAM],
        telling: [
          "sh",
          "-c",
          `echo "my token is $FOREBAY_WORKER_TOKEN" >&2; exec "$@"`,
          "sh",
          process.execPath,
          PROGRAM,
        ],
        torrent: ["sh", "-c", `yes "$(printf '%0200d' 1)" & exec "$@"`, "sh", process.execPath, PROGRAM],
      },
      flags: { "ping-interval-ms": "200", "drain-grace-ms": "500" },
    });
  });
  afterEach(() => server.stop());

  const linesFrom = async (endpoint: string, worker: string, query = ""): Promise<string[]> =>
    (await server.logOf(endpoint, worker, query)).map(({ line }) => line);
  const running = (endpoint: string, job: string) =>
    until("it runs", async () => {
      const record = await server.status(endpoint, job);
      return record.status === "IN_PROGRESS" && record;
    });

  test("is there after the worker has crashed, and after a restart of the server", async () => {
    const endpoint = await server.commandEndpoint(
      "program",
      { workersMin: 1, workersMax: 1 },
      { MODE: "crash" },
    );
    const exit = await until("one has crashed", async () => {
      const { json } = await server.get(`/v1/endpoints/${endpoint}`);
      return json.fleet.lastExit;
    });
    expect(exit.lastLines).toEqual(["this worker cannot start"]);
    expect(await linesFrom(endpoint, exit.worker)).toEqual(["this worker cannot start"]);
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { isPaused: true });
    await server.kill();
    await server.startAgain();
    const logged = await server.logOf(endpoint, exit.worker);
    expect(logged).toMatchObject([{ stream: "stderr", line: "this worker cannot start" }]);
    expect(Date.parse(logged[0]?.time ?? "")).toBeLessThanOrEqual(Date.parse(exit.at));
  });

  test("is followed as it is printed, until the worker has ended", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 1, workersMax: 1 });
    const worker = await until("it runs", async () => {
      const { json } = await server.get(`/v1/endpoints/${endpoint}/workers`);
      return json.workers.find(({ state }: { state: string }) => state === "IDLE")?.id;
    });
    const response = await fetch(
      `${server.url}/v1/endpoints/${endpoint}/workers/${worker}/logs?follow=true`,
      {
        headers: { authorization: TEST_KEY },
      },
    );
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    let text = "";
    const over = (async () => {
      for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
    })();
    const job = await server.run(endpoint);
    await until("it is told", () => text.includes(`runs ${job}`));
    await server.call("DELETE", `/v1/endpoints/${endpoint}/workers/${worker}`);
    await over;
    expect(linesOf(text).map(({ line }) => line)).toEqual(["a worker starts", `runs ${job}`, "told to end"]);
    expect(await linesFrom(endpoint, worker, "?tail=1")).toEqual(["told to end"]);
    expect(await linesFrom(endpoint, worker, "?since=2100-01-01T00:00:00Z")).toEqual([]);
  });

  test("of a job is what its worker printed between hand-out and end, and says whose it is", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMin: 1, workersMax: 1 });
    const job = await server.run(endpoint, { sleep: 300 });
    await server.ended(endpoint, job);
    const path = (id: string): string => `/v1/endpoints/${endpoint}/jobs/${id}/logs`;
    const { workerId } = await server.status(endpoint, job);
    const text = await until("it is written", async () => {
      const answer = await server.get(path(job));
      return answer.text.includes(`runs ${job}`) && answer.text;
    });
    const [first, ...rest] = linesOf(text);
    expect(first?.stream).toBe("forebay");
    expect(first?.line).toContain(`Worker ${workerId} printed this while it had job ${job}.`);
    expect(rest.map(({ line }) => line)).toContain(`runs ${job}`);
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { isPaused: true });
    const waiting = await server.run(endpoint);
    const refused = await server.get(path(waiting));
    expect([refused.status, refused.json.code]).toEqual([404, "NO_LOGS"]);
    expect((await server.get(path("none"))).json.code).toBe("JOB_NOT_FOUND");
    await server.post(`/v2/${endpoint}/cancel/${waiting}`);
  });

  test("is printed by forebay logs: of the newest worker, of a job, and as it comes", async () => {
    const command = (...args: string[]) => new ForebayCommand(["logs", ...args], { env: server.env });
    const endpoint = await server.commandEndpoint("program", { workersMin: 1, workersMax: 1 });
    const job = await server.run(endpoint);
    const { workerId } = await server.ended(endpoint, job);
    await until("it is written", async () => (await linesFrom(endpoint, workerId)).length === 2);
    const printed = `a worker starts\nruns ${job}\n`;
    expect(await command(endpoint).ended()).toEqual({ status: 0, stdout: printed, stderr: "" });
    const last = await command(endpoint, "--worker", workerId, "--tail", "1", "--json").ended();
    expect(linesOf(last.stdout)).toMatchObject([{ stream: "stdout", line: `runs ${job}` }]);
    const ofJob = await command(endpoint, "--job", job).ended();
    expect([ofJob.status, ofJob.stdout.includes(`runs ${job}\n`)]).toEqual([0, true]);
    expect(ofJob.stderr).toContain(`Worker ${workerId} printed this`);
    const following = command(endpoint, "--worker", workerId, "-f").ended();
    await server.call("DELETE", `/v1/endpoints/${endpoint}/workers/${workerId}`);
    const followed = await following;
    expect([followed.status, followed.stdout]).toEqual([0, `${printed}told to end\n`]);
    const fault = await command(endpoint, "--job", job, "-f").ended();
    expect([fault.status, fault.stderr.startsWith("forebay logs: --job prints all")]).toEqual([2, true]);
    const crashing = await server.commandEndpoint("program", { workersMin: 1 }, { MODE: "crash" });
    // While the next one starts, which has printed nothing yet, that is the newest.
    await until("what a crashed one printed is told while none runs", async () => {
      const { stdout } = await command(crashing).ended();
      return stdout === "this worker cannot start\n";
    });
  });

  test("has the token of its worker masked, and is not in the log of the server", async () => {
    const endpoint = await server.commandEndpoint("telling");
    const { workerId } = await server.ended(endpoint, await server.run(endpoint));
    const lines = await until("it is told", async () => {
      const read = await linesFrom(endpoint, workerId);
      return read.length > 0 && read;
    });
    expect(lines[0]).toBe("my token is fbw_***");
    expect(JSON.stringify([...server.log, ...server.printed])).not.toContain("my token is");
  });

  // How much is read at most before others have their turn: test/fleet/torrent.test.ts.
  test("as fast as it can: calls are answered meanwhile, and missing lines are reported", async () => {
    const endpoint = await server.commandEndpoint("torrent", { workersMin: 1, workersMax: 1 });
    const job = await server.run(endpoint, { sleep: 3_000 });
    const { workerId } = await running(endpoint, job);
    for (let call = 0; call < 100; call++) expect((await server.get("/healthz")).status).toBe(200);
    const lines = await until("lines are missing", async () => {
      const read = await server.logOf(endpoint, workerId, "?tail=60000");
      return read.some(({ stream }) => stream === "forebay") && read;
    });
    expect(lines.length).toBeLessThan(60_000);
    expect((await server.ended(endpoint, job)).status).toBe("COMPLETED");
  });

  test("is refused in words for a worker that came by itself, and one that is not there", async () => {
    const endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    const path = `/v1/endpoints/${endpoint}/workers`;
    const own = await server.get(`${path}/${worker.id}/logs`);
    expect([own.status, own.json.code]).toEqual([404, "NO_LOGS"]);
    expect((await server.get(`${path}/none/logs`)).json.code).toBe("WORKER_NOT_FOUND");
    for (const query of [
      "tail=-1",
      "tail=x",
      "tail=1000001",
      "since=now",
      "since=2026-13-01T00:00:00Z",
      "follow=1",
    ]) {
      expect((await server.get(`${path}/${worker.id}/logs?${query}`)).json.code).toBe("INVALID_QUERY");
    }
  });
});
