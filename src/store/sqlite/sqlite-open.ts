import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../domain/errors.ts";
import { type Database, openDatabase } from "./sqlite-driver.ts";
import { lostSentence, tracesOfData } from "./sqlite-lost.ts";
import { claim, foundOwner, type Owner } from "./sqlite-owner.ts";
import { migrate, schemaVersion } from "./sqlite-schema.ts";
import { closeMarked, markRunning } from "./sqlite-stop-marker.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

export interface OpenedDatabase {
  readonly database: Database;
  readonly path: string;
  close(): Promise<void>;
}

/**
 * Opens the database of a directory that nobody else uses, creates it at the first start, and brings its
 * schema up to date. Throws a sentence, and has changed no data, when the data was lost, is another server's,
 * or was written by a newer Forebay.
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
