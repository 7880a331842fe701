import { createWriteStream, existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { OperatorFault } from "../../domain/operator-fault.ts";
import { FILES, type Manifest } from "../backup/manifest.ts";
import { readBackup } from "../backup/read-backup.ts";
import { syncDirectory } from "../../host/durable-files.ts";
import { closeDatabase, openToRead } from "./sqlite-driver.ts";
import { databaseIn, lockDirectory, openInDirectory } from "./sqlite-open.ts";
import { SCHEMA_VERSION } from "./sqlite-schema.ts";
import { stoppedMarker } from "./sqlite-stop-marker.ts";
import { refuseDamaged } from "./sqlite-write-backup.ts";

export interface Restoring {
  readonly directory: string;
  readonly source: AsyncIterable<Uint8Array>;
  /** The server that the data belongs to from now on. */
  readonly server: string;
  /** Throws OperatorFault if the backup cannot be used here. */
  readonly check: (manifest: Manifest) => void;
  /** Stores the server to which the directory belongs. */
  readonly bind: () => Promise<void>;
}

/** A directory of this name contains an unfinished restore. */
const WORK = "restoring";

const LOCK = "lock.db";
const LOCK_FILES = [LOCK, `${LOCK}-journal`];

/** Files that an empty directory may have: the lock, and what mkfs creates. */
const IGNORED: ReadonlySet<string> = new Set([...LOCK_FILES, "lost+found"]);

/** Files that a restore creates. */
const RESTORED = ["payloads", "forebay.db", "forebay.db-stopped", "identity", "identity.new"];

/** Why the directory cannot be served: a restore into it was not finished. Undefined if there is none. */
export function restoreRefusal(directory: string): string | undefined {
  if (!existsSync(join(directory, WORK))) return undefined;
  return (
    `A restore into ${directory} was not finished. Run forebay restore again: it starts over. ` +
    "Nothing in the directory is used before that."
  );
}

/**
 * Creates a data directory from a backup. The directory is missing, empty, or has an unfinished restore. The
 * data is checked in a directory inside it, on the same file system, and moved when it is complete. The
 * directory can be served when the inner one is gone. Throws OperatorFault; then the directory is as before.
 */
export async function restoreSqlite(restoring: Restoring): Promise<Manifest> {
  const { directory } = restoring;
  const isNew = !existsSync(directory);
  await refuseUsed(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unlock = lockDirectory(join(directory, LOCK), directory, "Stop it first.");
  try {
    await refuseUsed(directory);
    const manifest = await restore(restoring);
    unlock();
    return manifest;
  } catch (error) {
    await clear(directory);
    unlock();
    for (const name of LOCK_FILES) await rm(join(directory, name), { force: true });
    if (isNew) await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function restore({ directory, source, server, check, bind }: Restoring): Promise<Manifest> {
  await clear(directory);
  const work = join(directory, WORK);
  await mkdir(join(work, "payloads"), { recursive: true, mode: 0o700 });
  await syncDirectory(directory);
  const manifest = await readBackup(source, (path, bytes) => write(join(work, path), bytes));
  if (manifest.schema > SCHEMA_VERSION) throw newer(manifest);
  check(manifest);
  await adopt(work, server);
  await syncDirectory(join(work, "payloads"));
  await syncDirectory(work);
  const moved = ["payloads", FILES.database];
  if (existsSync(stoppedMarker(databaseIn(work)))) moved.push("forebay.db-stopped");
  for (const name of moved) await rename(join(work, name), join(directory, name));
  await bind();
  await syncDirectory(directory);
  await rm(work, { recursive: true });
  await syncDirectory(directory);
  return manifest;
}

/** Updates the schema, and gives the data to the server, as `--adopt-data` does for a copy. */
async function adopt(work: string, server: string): Promise<void> {
  const path = databaseIn(work);
  const database = openToRead(path, false);
  try {
    refuseDamaged(database, path);
  } finally {
    closeDatabase(database);
  }
  const owner = { server, hasServed: false, adopts: true, onAdopted: () => undefined };
  const opened = await openInDirectory(work, owner);
  await opened.close();
}

async function write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(bytes, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes what a restore has created in the directory, its mark last. */
async function clear(directory: string): Promise<void> {
  const work = join(directory, WORK);
  if (!existsSync(work)) return;
  for (const name of RESTORED) await rm(join(directory, name), { recursive: true, force: true });
  await syncDirectory(directory);
  await rm(work, { recursive: true, force: true });
}

async function refuseUsed(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const names = await readdir(directory);
  if (names.includes(WORK)) return;
  const other = names.find((name) => !IGNORED.has(name));
  if (other === undefined) return;
  throw new OperatorFault(
    `${directory} is not empty: it has ${other}. ` +
      "Name a new directory with --data, or move this one away first.",
  );
}

function newer({ version, schema }: Manifest): OperatorFault {
  return new OperatorFault(
    `This backup was made by Forebay ${version} (schema ${schema}; this one knows ${SCHEMA_VERSION}). ` +
      "Restore it with that version or a newer one.",
  );
}
