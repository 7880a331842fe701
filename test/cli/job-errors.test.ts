import { describe, expect, test } from "bun:test";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freshWorker } from "../support/fresh-server.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

const FRAMES = ['  File "/app/handler.py", line 5, in handler', "    raise ValueError(colour)"];
const LIBRARY =
  '  File "/usr/lib/python3.12/site-packages/runpod/serverless/modules/rp_job.py", line 182, in run_job';

/** As the public Python SDK sends an exception. */
function exception(message: string, frames: readonly string[] = FRAMES): string {
  const traceback = ["Traceback (most recent call last):", LIBRARY, ...frames, `ValueError: ${message}`];
  return JSON.stringify({
    error_type: "<class 'ValueError'>",
    error_message: message,
    error_traceback: `${traceback.join("\n")}\n`,
    hostname: "w1",
  });
}

describe("the error of a job, as the commands print it", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ server, endpoint, worker } = fresh));

  const start = (args: readonly string[], isInTerminal = false): ForebayCommand =>
    new ForebayCommand(args, { env: server.env, isInTerminal });

  async function failed(error: string): Promise<string> {
    const id = await server.run(endpoint);
    await worker.take();
    await worker.done(id, { error });
    return id;
  }

  test("job, status, stream and runsync print type, message and own frames of an exception", async () => {
    const id = await failed(exception("no such colour"));
    const indented = ["error   ValueError: no such colour", ...FRAMES.map((line) => `        ${line}`)].join(
      "\n",
    );
    const { stdout: timeline } = await start(["job", endpoint, id]).ended();
    expect(timeline).toContain(`\n${indented}\n\nTIME`);
    expect(timeline).toContain("  FAILED: ValueError: no such colour  ");
    expect((await start(["stream", endpoint, id]).ended()).stderr).toBe(
      `forebay stream: the job ended FAILED: ValueError: no such colour\n${FRAMES.join("\n")}\n`,
    );
    const { stdout: record } = await start(["status", endpoint, id]).ended();
    expect(record).toEndWith(`\n${indented}\n`);

    const waiting = start(["runsync", endpoint]).ended();
    await until("the job is taken", async () => (await worker.take()).status === 200);
    const { requests } = (await server.get(`/v2/${endpoint}/requests?limit=1`)).json;
    await worker.done(requests[0].id, { error: exception("no such colour") });
    expect((await waiting).stdout).toEndWith(`\n${indented}\n`);
    for (const text of [timeline, record]) expect(text).not.toContain("site-packages");
  });

  test("an error whose beginning alone is in the timeline is printed whole, its last frame too", async () => {
    const calls = Array.from(
      { length: 24 },
      (_, index) => `  File "/app/m${index}.py", line ${index}, in call`,
    );
    const id = await failed(exception("deep", [...calls, ...FRAMES]));
    const { stdout } = await start(["job", endpoint, id]).ended();
    for (const frame of [...calls, ...FRAMES]) expect(stdout).toContain(frame);
    await server.post(`/v2/${endpoint}/retry/${id}`);
    expect((await start(["job", endpoint, id]).ended()).stdout).toContain("  FAILED: ValueError: deep  ");
  });

  test("of thousands of frames the first and the last are printed, and how many lie between", async () => {
    const calls = Array.from({ length: 5_000 }, (_, index) => `  File "/app/m${index}.py", line 1, in call`);
    const id = await failed(exception("too deep", calls));
    const { stdout } = await start(["status", endpoint, id]).ended();
    expect(stdout).toContain('  File "/app/m19.py"');
    expect(stdout).toContain("  … 4940 more lines …");
    expect(stdout).toContain('  File "/app/m4960.py"');
    expect(stdout.split("\n").length).toBeLessThan(100);
  });

  test("--json prints it as the worker sent it, and broken JSON stays as it is", async () => {
    const error = exception("no such colour");
    const record = (await start(["status", endpoint, await failed(error), "--json"]).ended()).stdout;
    expect(JSON.parse(record).error).toBe(error);
    const broken = `{"error_type": oops`;
    expect((await start(["status", endpoint, await failed(broken)]).ended()).stdout).toContain(
      `error   ${broken}`,
    );
  });

  test("T19: a terminal shows the control characters of an exception, and obeys none", async () => {
    const hostile = "a\u001b[2Jb\u009b2Jc\rd\u202ee";
    const frame = `  File "/app/${hostile}.py", line 1, in ${hostile}`;
    const id = await failed(exception(hostile, [frame]));
    for (const command of ["job", "status", "stream"]) {
      const text = (await start([command, endpoint, id], true).ended()).stdout;
      expect(text).toContain("a\\u001b[2Jb\\u009b2Jc\\u000dd\\u202ee");
      // oxlint-disable-next-line no-control-regex -- what must not be there
      expect(text).not.toMatch(/\u001b\[2J|\u009b|\u202e|c\rd/);
    }
  });
});
