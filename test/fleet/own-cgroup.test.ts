import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NoCgroup, openOwnCgroup, ownCgroup } from "../../src/fleet/process/own-cgroup.ts";
import { limitFiles, limitProcesses, memoryEnd } from "../../src/fleet/process/worker-cgroup.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";

// `npm test -- "process limits"` tests the same on a Linux with cgroup v2.

const OWN = "sys/fs/cgroup/system.slice/forebay.service";
const SERVICE = {
  "proc/self/cgroup": "0::/system.slice/forebay.service\n",
  [`${OWN}/cgroup.controllers`]: "cpuset cpu io memory pids\n",
  [`${OWN}/cgroup.procs`]: `${process.pid}\n${process.ppid}\n`,
  [`${OWN}/cgroup.subtree_control`]: "",
  [`${OWN}/cgroup.type`]: "domain\n",
};

/** A machine of files. */
async function machine(files: Readonly<Record<string, string>>): Promise<TemporaryDirectory> {
  const root = await temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root.path, path)), { recursive: true });
    writeFileSync(join(root.path, path), text);
  }
  return root;
}

test("a server moves out of its group, with the program that started it, and divides it", async () => {
  await using root = await machine(SERVICE);
  const own = join(root.path, OWN);
  expect(await ownCgroup(root.path)).toBe(own);
  expect(existsSync(join(own, "forebay-server"))).toBe(false);
  expect(await openOwnCgroup(root.path)).toBe(own);
  // Of what was written to a file of the system, a file of the test keeps the last.
  expect(readFileSync(join(own, "forebay-server/cgroup.procs"), "utf8")).toBe(String(process.ppid));
  expect(readFileSync(join(own, "cgroup.subtree_control"), "utf8")).toBe("+cpu +memory +pids");
});

test("the first group of a machine can have processes besides, so nobody moves", async () => {
  const { [`${OWN}/cgroup.type`]: _, ...files } = SERVICE;
  await using root = await machine({ ...files, [`${OWN}/cgroup.procs`]: "1\n2\n" });
  const own = await openOwnCgroup(root.path);
  expect(existsSync(join(own, "forebay-server"))).toBe(false);
  expect(readFileSync(join(own, "cgroup.subtree_control"), "utf8")).toBe("+cpu +memory +pids");
});

test.each<[what: string, files: Record<string, string>, sentence: string]>([
  ["no groups", { "proc/self/cgroup": "" }, "its control group has no cgroup v2 with cpu, memory, pids"],
  [
    "cgroup v1 beside",
    { ...SERVICE, [`${OWN}/cgroup.controllers`]: "pids\n" },
    "its control group has no cgroup v2 with cpu, memory",
  ],
  [
    "a process of somebody else",
    { ...SERVICE, [`${OWN}/cgroup.procs`]: `1\n${process.pid}\n` },
    "forebay.service (1)",
  ],
])("a machine without what limits require says so: %s", async (_, files, sentence) => {
  await using root = await machine(files);
  await expect(ownCgroup(root.path)).rejects.toThrow(sentence);
  await expect(ownCgroup(root.path)).rejects.toBeInstanceOf(NoCgroup);
  await expect(limitProcesses({ memoryMb: 1, cpus: 0, pids: 0 }, root.path)).rejects.toThrow(
    "The limits of process workers (--process-memory-mb, --process-cpus, --process-pids) cannot be enforced",
  );
  expect(await limitProcesses({ memoryMb: 0, cpus: 0, pids: 0 }, root.path)).toBeUndefined();
});

test.each<[limits: Partial<Parameters<typeof limitFiles>[0]>, cores: number | undefined, files: object]>([
  [{}, undefined, {}],
  [{ memoryMb: 64 }, undefined, { "memory.max": "67108864", "memory.oom.group": "1" }],
  [{ pids: 7 }, undefined, { "pids.max": "7" }],
  [{ cpus: 1.5 }, undefined, { "cpu.max": "150000 100000" }],
  [{ cpus: 1.5 }, 1, { "cpu.max": "100000 100000" }],
  [{ cpus: 1.5 }, 4, { "cpu.max": "150000 100000" }],
  [{}, 4, { "cpu.max": "400000 100000" }],
  [{ cpus: 0.001 }, undefined, { "cpu.max": "1000 100000" }],
])("the files of a group with the limits %j and the cores %p", (limits, cores, files) => {
  expect(limitFiles({ memoryMb: 0, cpus: 0, pids: 0, ...limits }, cores)).toEqual({ ...files });
});

test.each<[events: string, end: string | undefined]>([
  ["oom 0\noom_kill 0\n", undefined],
  ["oom 3\noom_kill 0\n", undefined],
  ["oom 1\noom_kill 2\noom_group_kill 1\n", "out of memory: used its limit of 64 MB"],
  ["oom 0\noom_kill 1\n", "out of memory: the machine had none left"],
])("the end of a worker with the events %j", async (events, end) => {
  await using root = await machine({ "memory.events": events });
  expect(
    await memoryEnd({ path: root.path, limits: { memoryMb: 64, cpus: 0, pids: 0 }, cores: undefined }),
  ).toBe(end);
});
