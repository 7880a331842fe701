import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { syncDirectory } from "../../host/durable-files.ts";
import { closeDatabase, type Database, prepare } from "./sqlite-driver.ts";
import { unlessFull } from "./sqlite-failure.ts";

/**
 * An empty file next to the database has one of two names, which say how its server ended. So a write-ahead
 * log that is missing after an unclean stop is noticed. Renaming the file needs no room on the disk.
 */
export function runningMarker(path: string): string {
  return `${path}-running`;
}

export function stoppedMarker(path: string): string {
  return `${path}-stopped`;
}

/** Marks that the database needs its write-ahead log from now on. */
export async function markRunning(path: string, directory: string): Promise<void> {
  const running = runningMarker(path);
  if (existsSync(stoppedMarker(path))) await rename(stoppedMarker(path), running);
  else if (!existsSync(running)) await writeFile(running, "", { mode: 0o600 });
  await syncDirectory(directory);
}

interface CheckpointResult {
  readonly busy: number;
}

/**
 * Closes a database that is marked as running. First it moves the write-ahead log into the database, so that
 * log and mark can go. If that is not possible, as on a full disk or while another program reads, both stay.
 */
export async function closeMarked(database: Database, path: string, directory: string): Promise<void> {
  const checkpoint = prepare<CheckpointResult, []>(database, "PRAGMA wal_checkpoint(TRUNCATE)");
  if (unlessFull(() => checkpoint.get())?.busy === 0) await markStopped(path, directory);
  closeDatabase(database);
  // The last connection to close moves the log once more.
  if (!existsSync(`${path}-wal`)) await markStopped(path, directory);
}

async function markStopped(path: string, directory: string): Promise<void> {
  if (!existsSync(runningMarker(path))) return;
  await rename(runningMarker(path), stoppedMarker(path));
  await syncDirectory(directory);
}
