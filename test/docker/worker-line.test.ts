import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DockerHost } from "../support/docker-host.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { temporaryDirectory, type TemporaryDirectory } from "../support/temporary-directory.ts";
import { until } from "../support/until.ts";
import { importTypeScriptImage } from "../support/worker-images.ts";

const IMAGE = "team/typescript:1";

describe("the line that starts a worker anywhere", () => {
  let host: DockerHost;
  let programs: TemporaryDirectory;
  let server: ServerProcess;
  beforeAll(async () => {
    host = await DockerHost.start();
    await importTypeScriptImage(host, IMAGE);
    programs = await temporaryDirectory();
    // The engine of the tests has no network of its own.
    const docker = `#!/bin/sh\nshift\nexec ${Bun.which("docker")} run --network host "$@"\n`;
    writeFileSync(join(programs.path, "docker"), docker, { mode: 0o755 });
  });
  afterAll(async () => {
    await programs[Symbol.asyncDispose]();
    await host.stop();
  });
  beforeEach(async () => {
    server = await ServerProcess.start({ commands: { wait: ["sleep", "1000"] } });
  });
  afterEach(async () => {
    for (const { Id } of await host.containers()) await host.ask("DELETE", `/v1.41/containers/${Id}?force=1`);
    await server.stop();
  });

  const lineOf = (endpoint: string, ...args: string[]) =>
    new ForebayCommand(["worker", "env", "--endpoint", endpoint, "--docker", ...args], {
      env: { FOREBAY_URL: server.url, FOREBAY_KEY: TEST_KEY },
    }).ended();
  /** As somebody types it on a machine where nothing of Forebay is. */
  const typed = (line: string): string => {
    const env = { PATH: `${programs.path}:${process.env["PATH"]}`, DOCKER_HOST: host.url };
    const { stdout, stderr, status } = spawnSync("sh", ["-c", line], { env, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    return stdout.trim();
  };
  async function endpointOf(template: object = {}, fields: object = {}, author = {}): Promise<string> {
    const all = { name: `t-${crypto.randomUUID()}`, imageName: IMAGE, volumeInGb: 0, ...template };
    const { json } = await server.post("/v1/templates", all, author);
    return server.endpoint({ templateId: json.id, ...fields });
  }
  const inspected = async (id: string) => (await host.ask("GET", `/v1.41/containers/${id}/json`)).json;

  test("starts one that completes a job, from the template and with the variables of both", async () => {
    const env = { PLAIN: "a", ODD: 'it\'s $HOME `id`\n"two" lines' };
    const endpoint = await endpointOf({ env }, { env: { PLAIN: "b" }, shmSizeInMb: 32 });
    const { status, stdout, stderr } = await lineOf(endpoint);
    expect([status, stderr.split("\n")[0]]).toEqual([
      0,
      "The line contains a token, with which its holder gets jobs of this endpoint.",
    ]);
    expect(stderr).toContain(`Other machines cannot reach ${server.url}. First set FOREBAY_PUBLIC_URL`);
    expect(stdout).toStartWith("docker run -d --rm --shm-size 32m -e ");
    expect(stdout).not.toContain("--gpus");
    const container = typed(stdout);
    const record = await server.ended(endpoint, await server.run(endpoint, { sleep: 1 }));
    expect(record.status).toBe("COMPLETED");
    const { Config, HostConfig } = await inspected(container);
    expect(Config.Env).toContain("PLAIN=b");
    expect(Config.Env).toContain(`ODD=${env.ODD}`);
    expect(Config.Env).toContain(`RUNPOD_POD_ID=${record.workerId}`);
    expect([HostConfig.AutoRemove, HostConfig.ShmSize]).toEqual([true, 32 * 1_048_576]);
    await host.ask("POST", `/v1.41/containers/${container}/stop`);
    await until("it is removed", async () => (await host.containers()).length === 0);
  });

  test("with --many starts as many as it is run, each with an id of its own", async () => {
    const endpoint = await endpointOf({
      dockerEntrypoint: ["/bin/bun", "--smol"],
      dockerStartCmd: ["worker.ts"],
    });
    const { stdout } = await lineOf(endpoint, "--many");
    const containers = [typed(stdout), typed(stdout)];
    await until("both are connected", async () => {
      const { json } = await server.get(`/v1/endpoints/${endpoint}/workers`);
      return json.workers.length === 2;
    });
    const jobs = await Promise.all([1, 2].map(() => server.run(endpoint, { sleep: 3_000 })));
    const records = await Promise.all(jobs.map((job) => server.ended(endpoint, job)));
    expect(records.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED"]);
    expect(new Set(records.map(({ workerId }) => workerId)).size).toBe(2);
    const { Path, Args } = await inspected(containers[0] ?? "");
    expect([Path, Args]).toEqual(["/bin/bun", ["--smol", "worker.ts"]]);
  });

  test("asks for GPUs and half of the memory as shared memory only for endpoints with GPUs", async () => {
    const { stdout } = await lineOf(await endpointOf({}, { gpuCount: 2, gpuTypeIds: [] }));
    expect(stdout).toStartWith("docker run -d --rm --gpus all --ulimit memlock=-1 --shm-size ");
    const seen = spawnSync("sh", ["-c", `docker() { printf '%s\\n' "$@"; }; ${stdout}`], {
      encoding: "utf8",
    });
    const words = seen.stdout.split("\n");
    const size = words[words.indexOf("--shm-size") + 1];
    const total = /^MemTotal: +(\d+) kB/m.exec(await Bun.file("/proc/meminfo").text())?.[1];
    expect(size).toBe(`${Math.floor(Number(total) / 2)}k`);
    expect(words.at(-2)).toBe(IMAGE);
  });

  test("is not printed, and no worker is admitted, where docker could not start the same", async () => {
    const own = await server.commandEndpoint("wait");
    const alone = await server.endpoint();
    const program = await endpointOf({ dockerEntrypoint: ["/bin/bun"] });
    const author = await server.key("manage", { account: await server.account() });
    const hidden = await endpointOf({ isPublic: true, env: { MODEL: "x" } }, {}, author);
    for (const [endpoint, sentence] of [
      [own, /runs process\/wait, a command of the server, not an image/],
      [alone, /has no template, which names the image/],
      [hidden, /belongs to another account, which alone sees the value of MODEL/],
      [program, /has an entrypoint without a command.*Set dockerStartCmd/],
    ] as const) {
      const { status, stdout, stderr } = await lineOf(endpoint);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(sentence);
      expect((await server.get(`/v1/endpoints/${endpoint}/workers`)).json.workers).toEqual([]);
    }
  });
});
