import { readdir, readFile } from "node:fs/promises";
import { errorCode } from "../../domain/errors.ts";

/** By it a process is known as a worker's, and so is all that the worker started. */
const MARK = "RUNPOD_POD_ID=";

/** The process groups of each of these workers, by their environments; on systems without /proc none. */
export async function groupsOf(workers: ReadonlySet<string>): Promise<Map<string, number[]>> {
  const groups = new Map<string, number[]>();
  for (const pid of (await read(() => readdir("/proc"))) ?? []) {
    if (!/^[0-9]+$/.test(pid)) continue;
    const worker = workerOf((await read(() => readFile(`/proc/${pid}/environ`, "utf8"))) ?? "");
    const stat = worker !== undefined && workers.has(worker) ? await read(() => readStat(pid)) : undefined;
    if (worker !== undefined && stat !== undefined) groups.set(worker, [...(groups.get(worker) ?? []), stat]);
  }
  return groups;
}

function workerOf(environment: string): string | undefined {
  const entry = environment.split("\0").find((candidate) => candidate.startsWith(MARK));
  return entry?.slice(MARK.length);
}

/** The group is the third field behind the name, which is in brackets and can have any sign (proc(5)). */
async function readStat(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
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
