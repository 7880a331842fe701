import { readdir, readFile } from "node:fs/promises";
import { errorCode } from "../../domain/errors.ts";
import type { ProcessMark } from "./process-mark.ts";

/** The variable that marks a worker's processes, including those that it started. */
const WORKER = "RUNPOD_POD_ID=";

/** A process that may be killed, with its start time. */
export type KillableProcess = ProcessMark & { readonly startedAt: number };

interface ProcessState {
  readonly state: string;
  readonly group: number;
  readonly startedAt: number;
}

/**
 * The process groups of each of these workers. A worker's process is found by its id and start time. What it
 * started is found by the worker's id in the environment, if it is not older than the worker. Without /proc
 * there are none.
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
  // It has ended, and its parent has not waited for it yet.
  if (state === "Z" || state === "X") return false;
  return pid === mark.pid ? startedAt === mark.startedAt : startedAt >= mark.startedAt;
}

/** The worker in the environment of a process. */
async function workerIn(pid: string): Promise<string | undefined> {
  const environment = (await read(() => readFile(`/proc/${pid}/environ`, "utf8"))) ?? "";
  const entry = environment.split("\0").find((candidate) => candidate.startsWith(WORKER));
  return entry?.slice(WORKER.length);
}

/** The fields after the name, which is in parentheses and can contain any character (proc(5)). */
async function readState(pid: string): Promise<ProcessState> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", group: Number(fields[2]), startedAt: Number(fields[19]) };
}

/** Undefined if the process has ended meanwhile, or belongs to another user. */
async function read<Value>(action: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await action();
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(errorCode(error))) return undefined;
    throw error;
  }
}
