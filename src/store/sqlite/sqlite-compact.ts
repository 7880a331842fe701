import { existsSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../domain/errors.ts";
import { rewrite } from "./sqlite-disk-space.ts";
import { databaseIn, lockDirectory, openInDirectory, refuseMoved } from "./sqlite-open.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

/** Sizes of the database, bytes. */
export interface Compacted {
  readonly before: number;
  readonly after: number;
}

const MB = 1_048_576;

/**
 * Rewrites the database of a stopped server without free pages. From then on it gives space back by itself.
 * Throws a sentence if there is no database, a server uses it, or the disk has too little room.
 */
export async function compactSqlite(directory: string): Promise<Compacted> {
  const path = databaseIn(directory);
  if (!existsSync(path))
    throw new OperatorFault(`${directory} has no data of Forebay. Name another directory with --data.`);
  await using open = new AsyncDisposableStack();
  open.defer(lockDirectory(join(directory, "lock.db"), directory, "Stop it first."));
  refuseMoved(directory);
  const before = statSync(path).size;
  const { bavail, bsize } = statfsSync(directory);
  // The new copy is written to the log first, so both exist for a moment, besides the old database.
  if (bavail * bsize < 2 * before) throw tooLittle(before);
  const { database, close } = await openInDirectory(directory, undefined);
  open.defer(close);
  try {
    rewrite(database);
  } catch (error) {
    throw errorCode(error) === "SQLITE_FULL" ? tooLittle(before) : error;
  }
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return { before, after: statSync(path).size };
}

function tooLittle(bytes: number): Error {
  const needed = Math.ceil((2 * bytes) / MB);
  return new OperatorFault(`the disk has too little space. Free ${needed} MB. Nothing was changed.`);
}
