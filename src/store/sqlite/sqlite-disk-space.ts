import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Checkpoints } from "./sqlite-checkpoints.ts";
import { type Database, prepare } from "./sqlite-driver.ts";
import { unlessFull } from "./sqlite-failure.ts";

/** Free pages that a database keeps for new rows: 4 MB. */
const KEPT_PAGES = 1_024;

/** Pages moved in one transaction: a few ms. */
const PAGES_PER_SLICE = 64;

/** What one call does on an idle server, and on a quiet one. */
const SLICES_WHEN_IDLE = 32;
const SLICES_WHEN_QUIET = 1;

/** Up to this many commits since the last call, a server counts as idle, and as quiet. */
const IDLE = 20;
const QUIET = 200;

/** A log file above this size is shortened, bytes. */
const LOG_LIMIT = 4 * 1_048_576;

/**
 * Up to this size, a database of an earlier version is rewritten at the start, bytes: that takes a second.
 */
const REWRITE_LIMIT = 64 * 1_048_576;

export interface DiskSpace {
  /** Call it after each commit. */
  committed(): void;
  /** Gives some space back to the file system. Call it once a second. */
  release(): Promise<void>;
}

/**
 * Gives free pages back to the file system. Small transactions move the last pages of the file to free
 * places: never together with the steps of a job, and hardly any while the server is busy. Then the log file
 * is shortened, and the next checkpoint shortens the database file.
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
    // On a full disk this waits for room, like all maintenance.
    if (unlessFull(() => vacuum.all()) === undefined) return false;
    checkpoints.committed();
    return true;
  }

  const logSize = (): number => fileSize(`${path}-wal`);

  async function move(slices: number): Promise<void> {
    for (let done = 0; done < slices; done++) {
      if (!isIdle() || !moveSlice()) return;
      hasMoved = true;
      // Lets requests run that came meanwhile.
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

/** The size of the database with its log, bytes. */
export function databaseSize(path: string): number {
  return fileSize(path) + fileSize(`${path}-wal`);
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * A database of an earlier version must be rewritten once before it can give space back. A small one is
 * rewritten here, if the disk has room for the copy. For a large one there is `forebay compact`.
 */
export async function makeCompactable(database: Database, path: string): Promise<void> {
  if (isIncremental(database) || statSync(path).size > REWRITE_LIMIT) return;
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize > 4 * REWRITE_LIMIT) unlessFull(() => rewrite(database));
}

/** Rewrites the whole database without free pages. From then on it can give space back. */
export function rewrite(database: Database): void {
  database.run("PRAGMA auto_vacuum = INCREMENTAL");
  database.run("VACUUM");
}

function isIncremental(database: Database): boolean {
  const INCREMENTAL = 2;
  const row = database.query<{ auto_vacuum: number }, []>("PRAGMA auto_vacuum").get();
  return row?.auto_vacuum === INCREMENTAL;
}
