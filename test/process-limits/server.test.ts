import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../src/doctor/finding.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const GROUPS = "/sys/fs/cgroup";

/** A control group as systemd makes it for a service with `Delegate=yes`. */
let service: string;
beforeEach(() => {
  service = join(GROUPS, `service-${crypto.randomUUID()}`);
  mkdirSync(service);
});
afterEach(() => {
  for (const name of groupsIn(service)) rmdirSync(join(service, name));
  rmdirSync(service);
});

const groupsIn = (group: string): string[] =>
  readdirSync(group, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const workers = (): string[] => groupsIn(service).filter((name) => name !== "forebay-server");
const textIn = (...path: string[]): string => readFileSync(join(service, ...path), "utf8").trim();

/** What is started meanwhile is in the group of the service. */
function inService<Started>(start: () => Started): Started {
  writeFileSync(join(service, "cgroup.procs"), String(process.pid));
  const started = start();
  writeFileSync(join(GROUPS, "cgroup.procs"), String(process.pid));
  return started;
}

/** What this Linux does takes a few times as long as elsewhere, ms. */
const LIMIT = 60_000;

const COMMANDS = {
  wait: ["sleep", "1000"],
  greedy: ["sh", "-c", "head -c 200000000 /dev/zero | tail -c 200000000 >/dev/null"],
};
const flags = { "process-memory-mb": "64", "process-cpus": "2", "worker-init-timeout-ms": "60000" };

test("a server divides its control group, vcpuCount holds, and a later server clears up", async () => {
  const server = await inService(() => ServerProcess.start({ flags, commands: COMMANDS }));
  try {
    expect(textIn("cgroup.procs")).toBe("");
    const endpoint = await server.commandEndpoint("wait", { workersMax: 1, workersMin: 1, vcpuCount: 1 });
    const worker = await until(
      "its worker runs",
      () => workers().find((name) => textIn(name, "cgroup.procs")),
      LIMIT,
    );
    expect(textIn(worker, "cpu.max")).toBe("100000 100000");
    expect(textIn(worker, "memory.max")).toBe(String(64 * 1_048_576));
    await server.post(`/v1/endpoints/${endpoint}/update`, { workersMin: 0 });
    await server.kill();
    expect(workers()).toEqual([worker]);
    await server.startAgain();
    expect(workers()).toEqual([]);
  } finally {
    await server.stop();
  }
});

test("an endpoint says that its workers are out of memory", async () => {
  const server = await inService(() => ServerProcess.start({ flags, commands: COMMANDS }));
  try {
    const endpoint = await server.commandEndpoint("greedy", { workersMax: 1 });
    await server.run(endpoint, {});
    const [line] = await until(
      "its worker ended",
      () => {
        const lines = server.logged("a worker exited");
        return lines.length > 0 && lines;
      },
      LIMIT,
    );
    expect(line).toMatchObject({ reason: "out of memory: used its limit of 64 MB" });
  } finally {
    await server.stop();
  }
});

test("the doctor says which limits hold, and a server without its own group does not start", async () => {
  const limits = async (...args: string[]): Promise<string | undefined> => {
    const command = inService(() => new ForebayCommand(["doctor", "--port", "0", "--json", ...args]));
    const { findings }: { findings: Finding[] } = JSON.parse((await command.ended()).stdout);
    return findings
      .map(({ state, says }) => `${state} ${says}`)
      .find((text) => text.includes("process worker"));
  };
  expect(await limits()).toBe(
    "ok process workers have no limits of memory and cores, and vcpuCount has no effect; " +
      "cgroup v2 could enforce limits",
  );
  expect(await limits("--process-memory-mb", "64", "--process-pids", "10")).toBe(
    "ok each process worker has at most 64 MB of memory, 10 processes, by cgroup v2",
  );
  const other = inService(() => Bun.spawn(["sleep", "1000"]));
  try {
    const refusal = `other processes are in its control group ${service} (${other.pid})`;
    expect(await limits("--process-cpus", "1.5")).toBe(
      `fault process workers cannot be limited to 1.5 cores: ${refusal}`,
    );
    const args = ["serve", "--port", "0", "--data", ":memory:", "--process-cpus", "1.5"];
    const { status, stderr } = await inService(() => new ForebayCommand(args)).ended();
    expect([status, stderr]).toEqual([2, expect.stringContaining(`cannot be enforced: ${refusal}.`)]);
  } finally {
    other.kill("SIGKILL");
    await other.exited;
  }
});
