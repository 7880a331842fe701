import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { availableParallelism, hostname, totalmem } from "node:os";
import { join } from "node:path";
import { workerEnvironment } from "../../src/engine/worker-environment.ts";
import { containerBody } from "../../src/fleet/docker/container-body.ts";
import { gpuVariables } from "../../src/fleet/gpu/gpu-variables.ts";
import { processEnvironment, processMachine } from "../../src/fleet/process/process-command.ts";
import type { WorkerOrder } from "../../src/fleet/provider.ts";
import { machineVariables } from "../../src/fleet/worker-machine.ts";
import { templateOf } from "../support/template-of.ts";

const GB = 2 ** 30;

const ORDER: WorkerOrder = {
  worker: "w1",
  endpoint: "e1",
  template: templateOf("team/a:1"),
  environment: {},
};

const SETTINGS = {
  network: "",
  user: "",
  memory: 0,
  cpus: 0,
  pids: 100,
  capabilities: [],
  publishAddress: "127.0.0.1",
  publishPorts: { first: 20_000, last: 20_010 },
};

/** The variables of a container with 1.5 GB of memory, on a machine with 8 cores. */
function containerVariables(order: WorkerOrder, cpus = 0): Record<string, string> {
  const image = { id: "i", digest: undefined, command: [], pullMs: undefined };
  const machine = { memory: 1.5 * GB, cores: 8, limitsDisks: true, locksMemory: true };
  const options = { settings: { ...SETTINGS, cpus }, deployment: "d", server: "s", ...machine };
  const limits = { limitsDisks: true, locksMemory: true };
  const ports = new Map([[80, 20_000]]);
  const body = containerBody(order, image, { ...options, ...limits, ports, devices: undefined });
  const { Env = [] }: { Env?: string[] } = body;
  return Object.fromEntries(Env.map((text) => text.split(/=(.*)/s)));
}

describe("what a worker learns of its machine", () => {
  test.each<[cores: number, memory: number, count: string, gigabytes: string | undefined]>([
    [8, 16 * GB, "8", "16"],
    [1.5, 16 * GB - 1, "2", "15"],
    [0.25, GB, "1", "1"],
    [1, GB - 1, "1", undefined],
  ])("%p cores and %p bytes", (cores, memory, count, gigabytes) => {
    expect(machineVariables({ hostname: "h", cores, memory })).toEqual({
      RUNPOD_POD_HOSTNAME: "h",
      RUNPOD_CPU_COUNT: count,
      ...(gigabytes === undefined ? {} : { RUNPOD_MEM_GB: gigabytes }),
    });
  });

  test("a process has its limits, or what the machine has", () => {
    const all = { hostname: hostname(), cores: availableParallelism(), memory: totalmem() };
    expect(processMachine(ORDER, undefined)).toEqual(all);
    // Nobody enforces them.
    expect(processMachine({ ...ORDER, cores: 0.5 }, undefined)).toEqual(all);
    const limits = { memoryMb: 64, cpus: 0.75, pids: 0 };
    expect(processMachine(ORDER, limits)).toEqual({ ...all, cores: 0.75, memory: 64 * 1_048_576 });
    expect(processMachine({ ...ORDER, cores: 0.5 }, limits).cores).toBe(0.5);
    expect(processMachine(ORDER, { memoryMb: 1e9, cpus: 1e4, pids: 1 })).toEqual(all);
  });

  test("a container has its limits, and no more cores than the machine", () => {
    const fields = { RUNPOD_POD_HOSTNAME: "forebay-w1", RUNPOD_MEM_GB: "1" };
    expect(containerVariables(ORDER)).toMatchObject({ ...fields, RUNPOD_CPU_COUNT: "8" });
    expect(containerVariables({ ...ORDER, cores: 4 })).toMatchObject({ RUNPOD_CPU_COUNT: "4" });
    expect(containerVariables({ ...ORDER, cores: 4 }, 2)).toMatchObject({ RUNPOD_CPU_COUNT: "2" });
    expect(containerVariables({ ...ORDER, cores: 1_024 })).toMatchObject({ RUNPOD_CPU_COUNT: "8" });
  });

  test("no template can say something else", () => {
    const template = templateOf("team/a:1", { env: { RUNPOD_CPU_COUNT: "99" } });
    expect(containerVariables({ ...ORDER, template })["RUNPOD_CPU_COUNT"]).toBe("8");
  });
});

test("docs/worker-environment.md lists every variable of processes and containers, and no other", () => {
  const record = { id: "w1", account: "a", endpoint: "e1", managed: true, many: false, digest: "" };
  const created = { record: { ...record, server: undefined, startedAt: undefined }, token: "t" };
  const gpus = [{ uuid: "GPU-1", name: "NVIDIA L40S" }];
  const environment = { ...workerEnvironment(created, "http://f", 1), ...gpuVariables(gpus) };
  const order = { ...ORDER, environment, gpus };
  const own = { ...processEnvironment(order, {}), ...machineVariables(processMachine(order, undefined)) };
  const page = readFileSync(join(import.meta.dir, "../../docs/worker-environment.md"), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| ([\w ]+) \| ([\w ]+) \|/gm)];
  const listed = (column: number) => rows.filter((row) => row[column] !== "no").map(([, name]) => name);
  expect(listed(2).toSorted()).toEqual(Object.keys(own).toSorted());
  expect(listed(3).toSorted()).toEqual(Object.keys(containerVariables(order)).toSorted());
});
