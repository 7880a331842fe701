import { readdir, readFile } from "node:fs/promises";
import { errorCode } from "../../domain/errors.ts";
import type { ProcessMark } from "./process-mark.ts";

/** By it a process is known as a worker's, and so is all that the worker started. */
const WORKER = "RUNPOD_POD_ID=";

/** A process that may be killed, with the time at which it was started. */
export type KillableProcess = ProcessMark & { readonly startedAt: number };

interface ProcessState {
  readonly state: string;
  readonly group: number;
  readonly startedAt: number;
}

/**
 * The process groups of each of these workers. A worker's process is known by its id and the time of its
 * start; what it started, by the worker's id in its environment, if it was not started before the worker. On
 * systems without /proc there are none.
 */
export async function groupsOf(
  workers: ReadonlyMap<string, KillableProcess>,
): Promise<Map<string, number[]>> {
  const groups = new Map<string, number[]>();
  const workerByPid = new Map([...workers].map(([worker, { pid }]) => [pid, worker]));
  for (const name of (await read(() => readdir("/proc"))) ?? []) {
    if (!/^[0-9]+$/.test(name)) continue;
    const pid = Number(name);
    const worker = (await workerIn(name)) ?? workerByPid.get(pid);
    const mark = worker === undefined ? undefined : workers.get(worker);
    if (worker === undefined || mark === undefined) continue;
    const process = await read(() => readState(name));
    if (process === undefined || !isOf(mark, pid, process)) continue;
    groups.set(worker, [...(groups.get(worker) ?? []), process.group]);
  }
  return groups;
}

function isOf(mark: KillableProcess, pid: number, { state, startedAt }: ProcessState): boolean {
  // It has ended, and nobody has waited for it yet.
  if (state === "Z" || state === "X") return false;
  return pid === mark.pid ? startedAt === mark.startedAt : startedAt >= mark.startedAt;
}

/** The worker that the environment of a process names. */
async function workerIn(pid: string): Promise<string | undefined> {
  const environment = (await read(() => readFile(`/proc/${pid}/environ`, "utf8"))) ?? "";
  const entry = environment.split("\0").find((candidate) => candidate.startsWith(WORKER));
  return entry?.slice(WORKER.length);
}

/** The fields behind the name, which is in brackets and can have any sign (proc(5)). */
async function readState(pid: string): Promise<ProcessState> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", group: Number(fields[2]), startedAt: Number(fields[19]) };
}

/** Undefined where a process has ended meanwhile, or is another user's. */
async function read<Value>(action: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await action();
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(errorCode(error))) return undefined;
    throw error;
  }
}
