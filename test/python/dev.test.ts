import { afterEach, describe, expect, test } from "bun:test";
import { dirname } from "node:path";
import { DevProject } from "../support/dev-process.ts";
import { pythonProgram } from "../support/python.ts";

const handler = (body: string): string => `
import runpod

def inner(job):
    ${body}

def greet(job):
    return inner(job)

runpod.serverless.start({"handler": greet})
`;

describe("forebay dev with the unmodified public Python SDK", () => {
  let project: DevProject;
  afterEach(() => project.end());

  const env = () => ({ VIRTUAL_ENV: dirname(dirname(pythonProgram())) });

  test("serves a handler, reloads it, and gives what it ran to the new code without a loss", async () => {
    project = new DevProject({ "greet.py": handler("import time; time.sleep(600)") });
    const grace = { FOREBAY_DRAIN_GRACE_MS: "500" };
    const dev = await project.dev(["greet.py"], { env: { ...env(), ...grace } }).ready();
    expect(dev.shown).toContain(`runpod.endpoint_url_base = "${dev.url}/sdk/v2"`);
    const job = await dev.run("greet");
    project.write("greet.py", "import runpod\nraise RuntimeError('not yet')\n");
    await dev.line(/RuntimeError: not yet/);
    await dev.line(/Waiting for the next change\./);
    project.write("greet.py", handler("return job['input']"));
    const record = await dev.ended("greet", job);
    expect(record.status).toBe("COMPLETED");
    expect(record.retries).toBeUndefined();
    await dev.stop();
  });

  test("a worker that asks for it is replaced by a fresh process", async () => {
    const text = handler("import os; return {'refresh_worker': True, 'pid': os.getpid()}");
    project = new DevProject({ "greet.py": text });
    const dev = await project.dev(["greet.py"], { env: env() }).ready();
    const first = await dev.runsync("greet");
    const second = await dev.runsync("greet");
    expect([first.status, second.status]).toEqual(["COMPLETED", "COMPLETED"]);
    expect(second.output.pid).not.toBe(first.output.pid);
    await dev.stop();
    expect(dev.shown).not.toContain("ended by itself");
  });

  test("--input prints the output alone, and an error with the handler's own frames", async () => {
    project = new DevProject({ "greet.py": handler("return {'n': 2 * job['input']['n']}") });
    const good = await project.dev(["greet.py", "--input", '{"n": 21}'], { env: env() }).exit;
    expect([good.code, good.stdout]).toEqual([0, '{"n":42}\n']);
    const bad = await project.dev(["greet.py", "--input", "{}"], { env: env() }).exit;
    expect([bad.code, bad.stdout]).toEqual([1, ""]);
    expect(bad.stderr).toMatch(/FAILED .*\n {2}KeyError: 'n'\n +File "greet\.py", line 8, in greet\n/);
    expect(bad.stderr).not.toContain("site-packages");
  });

  test("a program that starts no worker gets a sentence and exit code 2", async () => {
    project = new DevProject({ "greet.py": "print('done')\n" });
    const { code, stderr } = await project.dev(["greet.py", "--input", "{}"], { env: env() }).exit;
    expect(code).toBe(2);
    expect(stderr).toEndWith(
      "forebay dev: greet.py has no handler: it exited without starting a worker. " +
        'End it with runpod.serverless.start({"handler": …}).\n',
    );
  });
});
