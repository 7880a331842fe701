import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { killGroup } from "./kill-group.ts";
import { NOWHERE, parseMark, placeOf, type ProcessMark } from "./process-mark.ts";
import { groupsOf, type KillableProcess } from "./worker-groups.ts";

/** Between two looks for what is still there, ms; and after how long nothing more is waited for. */
const PAUSE = 10;
const PATIENCE = 5_000;

/** A process has no environment for the moment in which it becomes its program: one look could miss it. */
const LOOKS_WITHOUT_FIND = 2;

/** Stands behind the id of the worker in the name of a directory that is being cleared away. */
const LEFT_OVER = ".left-over";

interface LeftOvers {
  /** Has a directory for each worker. */
  readonly directory: string;
  /** Names this boot of the machine; undefined where the machine does not tell. */
  readonly boot: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Ends the workers of a server that was killed: they run on without it, each with its directory. That is
 * moved away first, because a process that has not written its mark by then finds no place for it, and ends
 * before it becomes the program. Only what was started from this very directory on this boot of the machine
 * is killed: a copy of the directory has no right to it. Resolves when none of it runs any more: on a busy
 * machine a killed process stays for a while, with all that it holds.
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
  for (const worker of workers) await removeDirectory(join(directory, `${worker}${LEFT_OVER}`), log);
}

function mayKill(mark: ProcessMark, place: string): mark is KillableProcess {
  return place !== NOWHERE && mark.place === place && mark.startedAt !== undefined;
}

/** Those of the workers of which something was there. */
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

/** Ids of the workers whose directories were there. */
async function moveAway(directory: string): Promise<string[]> {
  const names = await namesIn(directory);
  for (const name of names) {
    if (!name.endsWith(LEFT_OVER))
      await rename(join(directory, name), join(directory, `${name}${LEFT_OVER}`));
  }
  return names.map((name) => (name.endsWith(LEFT_OVER) ? name.slice(0, -LEFT_OVER.length) : name));
}

/** The mark of a worker; undefined when it was never written, so that no program of it has run. */
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
 * Removes what workers have left. What they made unremovable stays, and the next start of the server tries
 * again.
 */
export async function removeDirectory(path: string, log: Log): Promise<void> {
  try {
    // What was just killed can still be writing.
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch (error) {
    log.warn("what workers have left could not be removed", { path, error: String(error) });
  }
}
