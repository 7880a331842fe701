import { constants } from "node:fs";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../domain/errors.ts";

/** The server cannot limit its workers. The message is a clause that says why. */
export class NoCgroup extends Error {}

/** What limits workers. */
const CONTROLLERS = ["cpu", "memory", "pids"] as const;

/**
 * The control group (cgroup v2) of this process, if the process can create groups with limits in it. Changes
 * nothing. Throws NoCgroup.
 */
export async function ownCgroup(root = "/"): Promise<string> {
  const [, path] = /^0::(\/.*)$/m.exec(await textOf(join(root, "proc/self/cgroup"))) ?? [];
  const base = join(root, "sys/fs/cgroup");
  const offered = path === undefined ? "" : await textOf(join(base, path, "cgroup.controllers"));
  const missing = CONTROLLERS.filter((name) => !offered.split(" ").includes(name));
  if (path === undefined || missing.length > 0) {
    throw new NoCgroup(`its control group has no cgroup v2 with ${missing.join(", ")}`);
  }
  const own = join(base, path);
  for (const file of ["", "cgroup.procs", "cgroup.subtree_control"]) await refuseReadOnly(join(own, file));
  const others = await otherProcesses(own);
  if (others.length > 0) {
    throw new NoCgroup(`other processes are in its control group ${own} (${others.join(", ")})`);
  }
  return own;
}

/**
 * Lets this process create groups with limits in its own one, and returns that. A group with limits below it
 * cannot have processes, so this one moves into a group of its own. Throws NoCgroup.
 */
export async function openOwnCgroup(root = "/"): Promise<string> {
  const own = await ownCgroup(root);
  try {
    if (!(await isRoot(own))) {
      const server = join(own, "forebay-server");
      await mkdir(server, { recursive: true });
      for (const pid of await processesIn(own)) await writeFile(join(server, "cgroup.procs"), String(pid));
    }
    await writeFile(join(own, "cgroup.subtree_control"), CONTROLLERS.map((name) => `+${name}`).join(" "));
  } catch (error) {
    if (errorCode(error) === "") throw error;
    throw new NoCgroup(`the system cannot divide its control group ${own}: ${errorCode(error)}`);
  }
  return own;
}

/** Ids of the processes of a group; none if it is gone. Those that this process cannot see are left out. */
export async function processesIn(cgroup: string): Promise<number[]> {
  const ids = (await textOf(join(cgroup, "cgroup.procs"))).split("\n").map(Number);
  return ids.filter((pid) => pid > 0);
}

/** Empty if there is no such file. */
export async function textOf(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    // The last one is that of a group which is removed meanwhile.
    if (!["ENOENT", "ENOTDIR", "EACCES", "ENODEV"].includes(errorCode(error))) throw error;
    return "";
  }
}

async function refuseReadOnly(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK);
  } catch (error) {
    throw new NoCgroup(`the server cannot write to ${path}: ${errorCode(error)}`, { cause: error });
  }
}

/** The processes that would have to leave the group, without this one and the program that started it. */
async function otherProcesses(own: string): Promise<number[]> {
  if (await isRoot(own)) return [];
  return (await processesIn(own)).filter((pid) => pid !== process.pid && pid !== process.ppid);
}

/** The first group of the machine can have both processes and groups with limits. */
async function isRoot(cgroup: string): Promise<boolean> {
  return (await textOf(join(cgroup, "cgroup.type"))) === "";
}
