import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Checkpoints } from "./sqlite-checkpoints.ts";
import { type Database, prepare } from "./sqlite-driver.ts";
import { unlessFull } from "./sqlite-failure.ts";

/** Free pages that a database keeps for what comes next: 4 MB. */
const KEPT_PAGES = 1_024;

/** Pages moved in one transaction: a few ms. */
const PAGES_PER_SLICE = 64;

/** What one call does where nothing else is going on, and where little is. */
const SLICES_WHEN_IDLE = 32;
const SLICES_WHEN_QUIET = 1;

/** Commits since the last call up to which a server counts as idle, and as quiet. */
const IDLE = 20;
const QUIET = 200;

/** A log file above this size is cut back, bytes. */
const LOG_LIMIT = 4 * 1_048_576;

/** Up to this size a database of an earlier version is rewritten at the start, bytes: it takes a second. */
const REWRITE_LIMIT = 64 * 1_048_576;

export interface DiskSpace {
  /** To be called after each commit. */
  committed(): void;
  /** Gives some space back to the file system; to be called once a second. */
  release(): Promise<void>;
}

/**
 * Gives pages that are free back to the file system: small transactions of their own move the last pages of
 * the file to free places, never beside the steps of a job, and hardly any while the server is busy. After
 * that the log file is cut back, and with the next checkpoint the database file ends where its pages end.
 */
export function sqliteDiskSpace(database: Database, path: string, checkpoints: Checkpoints): DiskSpace {
  const free = prepare<{ freelist_count: number }, []>(database, "PRAGMA freelist_count");
  const vacuum = prepare<unknown, []>(database, `PRAGMA incremental_vacuum(${PAGES_PER_SLICE})`);
  const isCompactable = isIncremental(database);
  let commits = 0;
  let hasMoved = false;

  const isIdle = (): boolean => commits <= IDLE;

  /** Whether pages were moved. */
  function moveSlice(): boolean {
    if ((free.get()?.freelist_count ?? 0) < KEPT_PAGES + PAGES_PER_SLICE) return false;
    // On a full disk it waits for room, like every other upkeep.
    if (unlessFull(() => vacuum.all()) === undefined) return false;
    checkpoints.committed();
    return true;
  }

  const logSize = (): number => fileSize(`${path}-wal`);

  async function move(slices: number): Promise<void> {
    for (let done = 0; done < slices; done++) {
      if (!isIdle() || !moveSlice()) return;
      hasMoved = true;
      // Requests that came meanwhile have their turn.
      await new Promise(setImmediate);
    }
  }

  return {
    committed() {
      commits++;
    },

    async release() {
      const slices = isIdle() ? SLICES_WHEN_IDLE : commits <= QUIET ? SLICES_WHEN_QUIET : 0;
      commits = 0;
      if (slices === 0) return;
      if (isCompactable) await move(slices);
      if (slices === SLICES_WHEN_IDLE && (hasMoved || logSize() > LOG_LIMIT)) {
        if (checkpoints.cutLog()) hasMoved = false;
      }
    },
  };
}

/** Of the database with its log, bytes. */
export function databaseSize(path: string): number {
  return fileSize(path) + fileSize(`${path}-wal`);
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * A database that was made by an earlier version has to be rewritten once before it can give space back. A
 * small one is, where the disk has room for the copy; a large one is left to `forebay compact`.
 */
export async function makeCompactable(database: Database, path: string): Promise<void> {
  if (isIncremental(database) || statSync(path).size > REWRITE_LIMIT) return;
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize > 4 * REWRITE_LIMIT) unlessFull(() => rewrite(database));
}

/** Writes the whole database anew, without free pages, and so that it can give space back from then on. */
export function rewrite(database: Database): void {
  database.run("PRAGMA auto_vacuum = INCREMENTAL");
  database.run("VACUUM");
}

function isIncremental(database: Database): boolean {
  const INCREMENTAL = 2;
  const row = database.query<{ auto_vacuum: number }, []>("PRAGMA auto_vacuum").get();
  return row?.auto_vacuum === INCREMENTAL;
}
