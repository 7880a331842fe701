import { existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { closeDatabase, isHeld, openToRead } from "./sqlite-driver.ts";
import { lostSentence, tracesOfData } from "./sqlite-lost.ts";
import { databaseIn, refuseMoved } from "./sqlite-open.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";
import { requiredVersion, SCHEMA_VERSION } from "./sqlite-schema.ts";

/** What can be read of a data directory without changing it. */
export interface InspectedSqlite {
  /** Whether a server uses it now. */
  readonly isInUse: boolean;
  /** Whether its last server was killed. The next one recovers what it left. */
  readonly wasKilled: boolean;
  /** Undefined while the newest data is in the write-ahead log. */
  readonly schema: number | undefined;
  readonly knownSchema: number;
  /** The oldest version of Forebay that opens the data, if that is newer than this one and known. */
  readonly requires: string | undefined;
  readonly bytes: number;
}

const MAGIC = "SQLite format 3\0";

/** Where the header of the file has the number of migrations (SQLite, file format 1.3). */
const USER_VERSION = 60;

/**
 * Reads about the data of a directory without changing anything: the file is not opened as a database,
 * because that would write files. Undefined if there is no data. Throws a sentence if the data was moved or
 * lost, or is not Forebay's. `hasServed` says whether a server is known to have stored data in it.
 */
export async function inspectSqlite(
  directory: string,
  hasServed: boolean,
): Promise<InspectedSqlite | undefined> {
  const path = databaseIn(directory);
  refuseMoved(directory);
  const { refusal, hasTraces } = await tracesOfData(path, hasServed);
  if (refusal !== undefined) throw new OperatorFault(refusal);
  if (!existsSync(path)) return undefined;
  const lock = join(directory, "lock.db");
  const isInUse = existsSync(lock) && isHeld(lock);
  const log = `${path}-wal`;
  const wasKilled = !isInUse && existsSync(log) && (await stat(log)).size > 0;
  const schema = isInUse || wasKilled ? undefined : await schemaOf(path);
  if (schema === 0 && hasTraces) throw new OperatorFault(lostSentence(path, "has no tables"));
  const requires = schema !== undefined && schema > SCHEMA_VERSION ? requiredBy(path) : undefined;
  const known = { knownSchema: SCHEMA_VERSION, requires };
  return { isInUse, wasKilled, schema, ...known, bytes: (await stat(path)).size };
}

/** No server uses the database, and the last one has closed it, so we can open it. */
function requiredBy(path: string): string | undefined {
  const database = openToRead(path, false);
  try {
    return requiredVersion(database);
  } finally {
    closeDatabase(database);
  }
}

async function schemaOf(path: string): Promise<number> {
  const file = await open(path, "r");
  try {
    const header = Buffer.alloc(USER_VERSION + 4);
    const { bytesRead } = await file.read(header, 0, header.length, 0);
    // A server that was killed at its first start has written nothing yet.
    if (bytesRead === 0) return 0;
    if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
      throw new OperatorFault(`${path} is not a SQLite database. Restore a backup of the data directory.`);
    }
    return header.readUInt32BE(USER_VERSION);
  } finally {
    await file.close();
  }
}
