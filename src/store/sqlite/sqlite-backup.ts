import { statfsSync, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ForebayError } from "../../domain/errors.ts";
import { onAbort } from "../../domain/on-abort.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";
import { type BackupFacts, type BackupOrder, FILES } from "../backup/manifest.ts";
import { remark } from "../backup/tar.ts";
import type { BackupNews, ThreadOrder } from "./sqlite-backup-thread.ts";
import type { Checkpoints } from "./sqlite-checkpoints.ts";
import type { Removals } from "./sqlite-removals.ts";
import { syncSteadily } from "./sqlite-sync-steadily.ts";

export interface BackupParts {
  readonly directory: string;
  readonly path: string;
  readonly checkpoints: Checkpoints;
  readonly removals: Removals;
}

export interface Backups {
  /** As `Store.backup`. */
  begin(order: BackupOrder): AsyncGenerator<Uint8Array>;
  /** Ends the running backup. */
  close(): void;
}

const SCRATCH = "backup-scratch-";

/** The directory into which a backup copies the database. */
export function newScratch(directory: string): string {
  return join(directory, `${SCRATCH}${crypto.randomUUID()}`);
}

/** Removes what a killed server has left of a backup. */
export async function removeScratch(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith(SCRATCH)) await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Backs up a data directory while its server uses it, one backup at a time. A thread writes it. */
export function sqliteBackups(parts: BackupParts): Backups {
  let running: Writer | undefined;

  return {
    begin({ facts, pause, signal }) {
      if (running !== undefined) throw isRunning();
      refuseWithoutRoom(parts);
      const writer = beginWriter(parts, facts, () => {
        running = undefined;
      });
      running = writer;
      onAbort(signal, () => void writer.end());
      return pieces(writer, facts.instant, pause);
    },

    close() {
      void running?.end();
    },
  };
}

async function* pieces(writer: Writer, time: number, pause: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    yield (await writer.next()) ?? new Uint8Array();
    const next = writer.next();
    // Copying the database takes a while, and a proxy would close a connection without data.
    while (!writer.isCopied) {
      const isThere = await Promise.race([next.then(() => true), pause().then(() => false)]);
      if (!isThere && !writer.isCopied) yield remark(time);
    }
    for (let piece = await next; piece !== undefined; piece = await writer.next()) yield piece;
  } finally {
    await writer.end();
  }
}

interface Writer {
  /** Whether the copy of the database has ended, with or without success. */
  readonly isCopied: boolean;
  /** Undefined at the end. Throws OperatorFault, and the error of the thread. */
  next(): Promise<Uint8Array | undefined>;
  /** Resolves when the thread has closed everything. */
  end(): Promise<void>;
}

/** Starts the thread. No payload file is removed until its end. */
function beginWriter(
  { directory, checkpoints, removals }: BackupParts,
  facts: BackupFacts,
  onEnd: () => void,
): Writer {
  const release = removals.hold();
  const resume = checkpoints.pause();
  const scratch = newScratch(directory);
  const stopSyncing = syncSteadily(join(scratch, FILES.database));
  const thread = new Worker(new URL("./sqlite-backup-thread.ts", import.meta.url).href);
  const order = (message: ThreadOrder): void => thread.postMessage(message);
  let waiting: PromiseWithResolvers<Uint8Array | undefined> | undefined;
  let isCopied = false;
  let isToEnd = false;
  const ended = Promise.withResolvers<void>();

  function copied(): void {
    if (isCopied) return;
    stopSyncing();
    resume();
    isCopied = true;
  }

  thread.addEventListener("message", ({ data }: MessageEvent<BackupNews>) => {
    if (data.news === "copied") return copied();
    if (data.news === "piece") waiting?.resolve(data.piece);
    else if (data.news === "finished") waiting?.resolve(undefined);
    else fail(faultOf(data));
  });
  thread.addEventListener("close", () => {
    copied();
    release();
    onEnd();
    ended.resolve();
  });
  thread.addEventListener("error", (event) => fail(new Error(`the backup thread failed: ${event.message}`)));

  function fail(error: Error): void {
    copied();
    waiting?.reject(error);
  }

  order({ order: "begin", source: { directory, scratch, hasLog: true }, facts });
  return {
    get isCopied() {
      return isCopied;
    },

    next() {
      waiting = Promise.withResolvers();
      if (isToEnd) waiting.reject(stopped());
      else order({ order: "next" });
      return waiting.promise;
    },

    end() {
      if (!isToEnd) order({ order: "end" });
      isToEnd = true;
      waiting?.reject(stopped());
      waiting?.promise.catch(() => undefined);
      return ended.promise;
    },
  };
}

function faultOf({ code, message, isTold }: Extract<BackupNews, { news: "failed" }>): Error {
  if (isTold) return new OperatorFault(message);
  if (["SQLITE_FULL", "ENOSPC", "EDQUOT"].includes(code)) return new OperatorFault(noRoom());
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return new OperatorFault(damagedSentence(message));
  return new Error(`the backup failed: ${message}`);
}

function damagedSentence(message: string): string {
  return (
    `The database of the server is damaged (SQLite: ${message}). ` +
    "Restore an earlier backup, and check the disk."
  );
}

/** The disk must have room for the copy of the database, and for the log that grows meanwhile. */
function refuseWithoutRoom({ directory, path }: BackupParts): void {
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize >= 2 * statSync(path).size) return;
  throw new ForebayError("STORAGE_FULL", noRoom());
}

function noRoom(): string {
  return (
    "The disk of the server has too little room for the backup: twice the size of the database must be " +
    "free. Nothing was changed."
  );
}

function isRunning(): ForebayError {
  return new ForebayError(
    "BACKUP_RUNNING",
    "A backup of this server is already running. Try again when it has finished.",
  );
}

function stopped(): Error {
  return new OperatorFault("The backup was stopped before its end.");
}
