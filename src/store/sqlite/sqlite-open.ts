import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../domain/errors.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";
import { syncDirectory } from "../../host/durable-files.ts";
import { type Database, holdExclusively, openDatabase } from "./sqlite-driver.ts";
import { lostSentence, tracesOfData } from "./sqlite-lost.ts";
import { claim, foundOwner, type Owner } from "./sqlite-owner.ts";
import { migrate, schemaVersion } from "./sqlite-schema.ts";
import { closeMarked, markRunning } from "./sqlite-stop-marker.ts";

export interface OpenedDatabase {
  readonly database: Database;
  readonly path: string;
  close(): Promise<void>;
}

/**
 * Opens the database of a directory that no other process uses. Creates it at the first start, and updates
 * its schema. Throws OperatorFault, and changes no data, if the data was lost, belongs to another server, or
 * was written by a newer Forebay.
 */
export async function openInDirectory(directory: string, owner: Owner | undefined): Promise<OpenedDatabase> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = databaseIn(directory);
  const { refusal, hasTraces } = await tracesOfData(path, owner?.hasServed ?? false);
  if (refusal !== undefined) throw new OperatorFault(refusal);
  const database = openFile(path);
  try {
    if (schemaVersion(database) === 0 && hasTraces)
      throw new OperatorFault(lostSentence(path, "has no tables"));
    const found = owner && foundOwner(database, owner, directory);
    migrate(database);
    if (owner !== undefined && found !== undefined) claim(database, owner, found);
    await markRunning(path, directory);
    return { database, path, close: () => closeMarked(database, path, directory) };
  } catch (error) {
    await closeMarked(database, path, directory);
    throw error;
  }
}

export function databaseIn(directory: string): string {
  return join(directory, "forebay.db");
}

function openFile(path: string): Database {
  try {
    return openDatabase(path);
  } catch (error) {
    if (errorCode(error) !== "SQLITE_NOTADB") throw error;
    throw new OperatorFault(`${path} is not a SQLite database. Restore the directory from a backup.`, {
      cause: error,
    });
  }
}

/**
 * Locks a data directory for one process until the answer is called. The lock is a transaction on a small
 * database of its own that never ends, so it also ends if the process is killed. Throws OperatorFault, whose
 * sentence ends with `advice`, if another server has the lock.
 */
export function lockDirectory(lockPath: string, directory: string, advice: string): () => void {
  try {
    return holdExclusively(lockPath);
  } catch (error) {
    if (errorCode(error) !== "SQLITE_BUSY") throw error;
    throw new OperatorFault(`another Forebay server is using the data directory ${directory}. ${advice}`, {
      cause: error,
    });
  }
}

const MOVED = "moved";

/** Marks a directory whose data is at `place` now. If both places were served, each job would run twice. */
export async function markMoved(directory: string, place: string): Promise<void> {
  await writeFile(join(directory, MOVED), `${place}\n`, { mode: 0o600, flush: true });
  await syncDirectory(directory);
}

/** Throws OperatorFault if the data of the directory was moved elsewhere. */
export function refuseMoved(directory: string): void {
  const mark = join(directory, MOVED);
  if (!existsSync(mark)) return;
  throw new OperatorFault(
    `the data of ${directory} was moved to a database by forebay migrate-store (${mark} says which): ` +
      "start the server with FOREBAY_DATABASE_URL, or remove that file to serve the data left here.",
  );
}
