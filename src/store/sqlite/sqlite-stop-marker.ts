import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { syncDirectory } from "../../host/durable-files.ts";
import { closeDatabase, type Database, prepare } from "./sqlite-driver.ts";
import { unlessFull } from "./sqlite-failure.ts";

/**
 * Two names of one empty file beside the database tell how its server ended, so that a write-ahead log which
 * is missing after an unclean stop is noticed. A change of the name needs no room on the disk.
 */
export function runningMarker(path: string): string {
  return `${path}-running`;
}

export function stoppedMarker(path: string): string {
  return `${path}-stopped`;
}

/** From now on the database needs its write-ahead log, which is there. */
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
 * Closes a database that was marked as running. Its write-ahead log is moved into it first, so that it can go
 * with the marker before. Where that is not possible, as on a full disk or while another program reads, the
 * log stays, and the marker with it.
 */
export async function closeMarked(database: Database, path: string, directory: string): Promise<void> {
  const checkpoint = prepare<CheckpointResult, []>(database, "PRAGMA wal_checkpoint(TRUNCATE)");
  if (unlessFull(() => checkpoint.get())?.busy === 0) await markStopped(path, directory);
  closeDatabase(database);
  // The last one to close does it once more.
  if (!existsSync(`${path}-wal`)) await markStopped(path, directory);
}

async function markStopped(path: string, directory: string): Promise<void> {
  if (!existsSync(runningMarker(path))) return;
  await rename(runningMarker(path), stoppedMarker(path));
  await syncDirectory(directory);
}
