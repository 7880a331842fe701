import { mkdir, readdir, readlink, rmdir, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";
import { coresAtMost, outOfMemory } from "../worker-machine.ts";
import { NoCgroup, openOwnCgroup, processesIn, textOf } from "./own-cgroup.ts";

/** What one process worker with all its children may use; 0: no limit. */
export interface ProcessLimits {
  readonly memoryMb: number;
  readonly cpus: number;
  /** Processes and threads. */
  readonly pids: number;
}

/** The limits of process workers, and the control group where each worker gets one of its own. */
export interface LimitedProcesses {
  readonly parent: string;
  readonly limits: ProcessLimits;
}

/** Undefined if there are no limits. Throws OperatorFault if the system does not let us enforce them. */
export async function limitProcesses(
  limits: ProcessLimits,
  root = "/",
): Promise<LimitedProcesses | undefined> {
  if (!hasLimits(limits)) return undefined;
  try {
    return { parent: await openOwnCgroup(root), limits };
  } catch (error) {
    if (!(error instanceof NoCgroup)) throw error;
    throw new OperatorFault(
      "The limits of process workers (--process-memory-mb, --process-cpus, --process-pids) " +
        `cannot be enforced: ${error.message}. docs/operate.md shows their requirements. ` +
        "Leave them out, or use containers.",
      { cause: error },
    );
  }
}

export function hasLimits({ memoryMb, cpus, pids }: ProcessLimits): boolean {
  return memoryMb > 0 || cpus > 0 || pids > 0;
}

/** The control group of one worker. */
export interface WorkerCgroup {
  readonly path: string;
  readonly limits: ProcessLimits;
  /** What the endpoint allows. */
  readonly cores: number | undefined;
}

/** The group that a worker will have; undefined if it has no limits. */
export function cgroupOf(
  limited: LimitedProcesses | undefined,
  { worker, cores }: { readonly worker: string; readonly cores?: number | undefined },
): WorkerCgroup | undefined {
  if (limited === undefined) return undefined;
  return { path: join(limited.parent, `${PREFIX}${worker}`), cores, limits: limited.limits };
}

/**
 * Creates the group, and records it in the worker's directory first, so that a later server finds it. `place`
 * is that of process-mark.ts.
 */
export async function createCgroup(
  { path, cores, limits }: WorkerCgroup,
  { directory, place }: { readonly directory: string; readonly place: string },
): Promise<void> {
  await symlink(path, join(directory, linkName(place)));
  await mkdir(path);
  const files = Object.entries(limitFiles(limits, cores));
  for (const [file, value] of files) await writeFile(join(path, file), value);
  // A kernel without swap has no such file.
  if (limits.memoryMb > 0 && (await readdir(path)).includes(SWAP)) await writeFile(join(path, SWAP), "0");
}

/** The files of a group with limits, and what they say. */
export function limitFiles(
  { memoryMb, cpus, pids }: ProcessLimits,
  cores: number | undefined,
): Record<string, string> {
  const most = coresAtMost(cpus, cores);
  return {
    // All processes of a worker that needs more memory are killed, so that no half of it goes on.
    ...(memoryMb > 0 ? { "memory.max": String(memoryMb * MB), "memory.oom.group": "1" } : {}),
    ...(most === undefined
      ? {}
      : { "cpu.max": `${Math.max(LEAST_QUOTA, Math.round(most * CPU_PERIOD))} ${CPU_PERIOD}` }),
    ...(pids > 0 ? { "pids.max": String(pids) } : {}),
  };
}

/** How the worker ended, if it was for want of memory. */
export async function memoryEnd({ path, limits }: WorkerCgroup): Promise<string | undefined> {
  const events = await textOf(join(path, "memory.events"));
  const count = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(events)?.[1] ?? 0);
  if (count("oom_kill") === 0) return undefined;
  // Without an event of its own limit, another group or the machine was out of memory.
  return count("oom") === 0 ? "out of memory: the machine had none left" : outOfMemory(limits.memoryMb);
}

/**
 * Kills what is left in a group, and removes the group. False if something is still there after a while: a
 * process that waits for a device cannot end, and a worker can have created groups in its own.
 */
export async function removeCgroup(path: string, clock: Clock): Promise<boolean> {
  const giveUpAt = clock.now() + PATIENCE;
  for (;;) {
    for (const pid of await processesIn(path)) killIfThere(pid);
    if (await isRemoved(path)) return true;
    if (clock.now() > giveUpAt) return false;
    await new Promise<void>((resolve) => clock.after(PAUSE, resolve));
  }
}

/**
 * The group that a server on this place recorded among these files in the directory of a worker; undefined:
 * none.
 */
export async function recordedCgroup(
  { directory, place }: { readonly directory: string; readonly place: string },
  worker: string,
): Promise<string | undefined> {
  if (!(await readdir(directory)).includes(linkName(place))) return undefined;
  const path = await readlink(join(directory, linkName(place)));
  return basename(path) === `${PREFIX}${worker}` ? path : undefined;
}

const MB = 1_048_576;

/** Microseconds: the kernel's default period, and the least quota that it accepts. */
const CPU_PERIOD = 100_000;
const LEAST_QUOTA = 1_000;

const SWAP = "memory.swap.max";

const PREFIX = "forebay-";

/** The pause between two attempts to remove a group, and the time limit for all of them, ms. */
const PAUSE = 10;
const PATIENCE = 5_000;

function linkName(place: string): string {
  return `cgroup.${place}`;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

/** A group with processes or groups in it cannot be removed. */
async function isRemoved(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (["EBUSY", "ENOTEMPTY", "EEXIST"].includes(errorCode(error))) return false;
    if (errorCode(error) === "ENOENT") return true;
    throw error;
  }
}
