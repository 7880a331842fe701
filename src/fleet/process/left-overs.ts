import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { killGroup } from "./kill-group.ts";
import { NOWHERE, parseMark, placeOf, type ProcessMark } from "./process-mark.ts";
import { recordedCgroup, removeCgroup } from "./worker-cgroup.ts";
import { groupsOf, type KillableProcess } from "./worker-groups.ts";

/** The pause between two looks, and the time limit for all of them, ms. */
const PAUSE = 10;
const PATIENCE = 5_000;

/** While a process becomes its program, it has no environment. So one look could miss it. */
const LOOKS_WITHOUT_FIND = 2;

/** Follows the worker's id in the name of a directory that is being removed. */
const LEFT_OVER = ".left-over";

interface LeftOvers {
  /** Has a directory for each worker. */
  readonly directory: string;
  /** Names this boot of the machine; undefined if the machine does not tell. */
  readonly boot: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Ends the workers that a killed server left running, and removes their directories. Each directory is
 * renamed first: a process that has not written its mark by then cannot write it any more, and ends before it
 * becomes the program. Only processes that were started from this directory on this boot are killed: a copy
 * of the directory must not kill the workers of the original. Resolves when none of them runs: on a busy
 * machine a killed process stays for a while, with everything that it holds.
 */
export async function endLeftOvers({ directory, boot, clock, log }: LeftOvers): Promise<void> {
  const workers = await moveAway(directory);
  if (workers.length === 0) return;
  const place = await placeOf(directory, boot);
  const killable = new Map<string, KillableProcess>();
  for (const worker of workers) {
    const mark = await markOf(join(directory, `${worker}${LEFT_OVER}`));
    if (mark === undefined) continue;
    if (mayKill(mark, place)) killable.set(worker, mark);
    else if (mark.place === NOWHERE) {
      const { pid } = mark;
      log.warn("a worker may have outlived its server: end the process if it is one", { worker, pid });
    }
  }
  for (const worker of await killUntilGone(killable, clock, log)) {
    log.warn("a worker that had outlived its server was ended", { worker });
  }
  for (const worker of workers) {
    const own = join(directory, `${worker}${LEFT_OVER}`);
    const cgroup = place === NOWHERE ? undefined : await recordedCgroup({ directory: own, place }, worker);
    if (cgroup !== undefined) await removeGroupOf(worker, cgroup, clock, log);
    await removeDirectory(own, log);
  }
}

/** Removes the control group of a worker, with all processes in it. */
export async function removeGroupOf(worker: string, cgroup: string, clock: Clock, log: Log): Promise<void> {
  try {
    if (await removeCgroup(cgroup, clock)) return;
    log.error("something of a worker was killed and is still there", { worker, cgroup });
  } catch (error) {
    log.error("the control group of a worker could not be removed", { worker, error: String(error) });
  }
}

function mayKill(mark: ProcessMark, place: string): mark is KillableProcess {
  return place !== NOWHERE && mark.place === place && mark.startedAt !== undefined;
}

/** Returns the workers of which a process was found. */
async function killUntilGone(
  workers: ReadonlyMap<string, KillableProcess>,
  clock: Clock,
  log: Log,
): Promise<Set<string>> {
  const outlived = new Set<string>();
  if (workers.size === 0) return outlived;
  const giveUpAt = clock.now() + PATIENCE;
  for (let looks = 0; looks < LOOKS_WITHOUT_FIND; looks++) {
    const groups = await groupsOf(workers);
    for (const [worker, own] of groups) {
      outlived.add(worker);
      for (const group of own) killGroup(group);
    }
    if (groups.size > 0) looks = -1;
    if (groups.size > 0 && clock.now() > giveUpAt) {
      const workers = [...groups.keys()].join(", ");
      log.error("workers that had outlived their server were killed and are still there", { workers });
      return outlived;
    }
    await new Promise<void>((resolve) => clock.after(PAUSE, resolve));
  }
  return outlived;
}

/** Returns the ids of the workers whose directories were found. */
async function moveAway(directory: string): Promise<string[]> {
  const names = await namesIn(directory);
  for (const name of names) {
    if (!name.endsWith(LEFT_OVER))
      await rename(join(directory, name), join(directory, `${name}${LEFT_OVER}`));
  }
  return names.map((name) => (name.endsWith(LEFT_OVER) ? name.slice(0, -LEFT_OVER.length) : name));
}

/** The mark of a worker; undefined if it was never written, so that no program of it has run. */
async function markOf(directory: string): Promise<ProcessMark | undefined> {
  return (await namesIn(directory)).map(parseMark).find((mark) => mark !== undefined);
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return [];
  }
}

/**
 * Removes the files of workers. What cannot be removed stays, and the next start of the server tries again.
 */
export async function removeDirectory(path: string, log: Log): Promise<void> {
  try {
    // A process that was just killed can still be writing.
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch (error) {
    log.warn("what workers have left could not be removed", { path, error: String(error) });
  }
}
