import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../../domain/errors.ts";
import { runningMarker, stoppedMarker } from "./sqlite-stop-marker.ts";

/** The files of a data directory which show that it had a database. */
export interface TracesOfData {
  /** Why the directory must not be opened: one of its files is missing. Undefined if none is. */
  readonly refusal: string | undefined;
  /** Whether a server has stored data here: then a database without tables is not the first start. */
  readonly hasTraces: boolean;
}

/**
 * Finds a database that is missing or was emptied, and a write-ahead log that is missing after an unclean
 * stop. If such a database were opened, it would start empty, and all payload files would be orphans.
 * `hasServed` is what other files than those of the database say.
 */
export async function tracesOfData(path: string, hasServed: boolean): Promise<TracesOfData> {
  const [wasRunning, wasStopped] = [existsSync(runningMarker(path)), existsSync(stoppedMarker(path))];
  const payloads = await countOf(join(dirname(path), "payloads"));
  const hasTraces = hasServed || wasRunning || wasStopped || payloads > 0;
  const size = await sizeOf(path);
  const hasLog = existsSync(`${path}-wal`);
  const found = (refusal: string | undefined): TracesOfData => ({ refusal, hasTraces });
  if (wasRunning && wasStopped) return found(mixedSentence(path));
  if (size === undefined && (hasTraces || hasLog)) return found(lostSentence(path, "is missing"));
  if (size === 0 && hasTraces) return found(lostSentence(path, "is empty"));
  if (size !== undefined && wasRunning && !hasLog) return found(logSentence(path));
  return found(undefined);
}

/** The sentence about a database that has lost its data. */
export function lostSentence(path: string, how: string): string {
  const directory = dirname(path);
  return (
    `${path} ${how}, and ${directory} has other files of a server that stored its data there. ` +
    "Restore the directory from a backup. To start with an empty server, move the directory away first. " +
    "If the data is in PostgreSQL, set FOREBAY_DATABASE_URL."
  );
}

function logSentence(path: string): string {
  return (
    `${path}-wal is missing. The last server was killed, so the newest changes are in that file. ` +
    "Put it back, or restore the directory from a backup. If another program has opened the database " +
    `since, it may have moved the changes into it: then remove ${runningMarker(path)}.`
  );
}

function mixedSentence(path: string): string {
  return (
    `${dirname(path)} has files of two states: a backup was copied over the files of a server that was ` +
    "killed. Empty the directory, then restore the backup."
  );
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

async function countOf(directory: string): Promise<number> {
  try {
    return (await readdir(directory)).length;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return 0;
  }
}
