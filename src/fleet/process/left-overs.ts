import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { killGroup } from "./kill-group.ts";
import { removeDirectory } from "./remove-directory.ts";
import { groupsOf } from "./worker-groups.ts";

/** Between two looks for what is still there, ms; and after how long nothing more is waited for. */
const PAUSE = 10;
const PATIENCE = 5_000;

/** A process has no environment for the moment in which it becomes its program: one look could miss it. */
const LOOKS_WITHOUT_FIND = 2;

/** Stands behind the id of the worker in the name of a directory that is being cleared away. */
const MARK = ".left-over";

/**
 * Ends the workers of a server that was killed: they run on without it, each with its directory. That is
 * moved away first, because a process that has not written its id by then finds no place for it, and ends
 * before it becomes the program. What has the id of such a worker in its environment is killed, with its
 * whole group; a process id alone can be someone else's by now. Resolves when none of it runs any more: on a
 * busy machine a killed process stays for a while, with all that it holds.
 */
export async function endLeftOvers(directory: string, clock: Clock, log: Log): Promise<void> {
  const workers = await moveAway(directory);
  if (workers.length === 0) return;
  const outlived = await killUntilGone(new Set(workers), clock, log);
  for (const worker of workers) {
    const path = join(directory, `${worker}${MARK}`);
    if (outlived.has(worker)) log.warn("a worker that had outlived its server was ended", { worker });
    else if (process.platform !== "linux") await tellOf(worker, path, log);
    await removeDirectory(path, log);
  }
}

/** Those of the workers of which something was there. */
async function killUntilGone(workers: ReadonlySet<string>, clock: Clock, log: Log): Promise<Set<string>> {
  const outlived = new Set<string>();
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
    if (!name.endsWith(MARK)) await rename(join(directory, name), join(directory, `${name}${MARK}`));
  }
  return names.map((name) => (name.endsWith(MARK) ? name.slice(0, -MARK.length) : name));
}

/** Where no environment of a process can be read, nobody can tell whether it is the worker. */
async function tellOf(worker: string, path: string, log: Log): Promise<void> {
  const pid = (await namesIn(path)).find((name) => name.startsWith("pid-"))?.slice("pid-".length);
  if (pid === undefined) return;
  log.warn("a worker may have outlived its server: end the process if it is one", { worker, pid });
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return [];
  }
}
