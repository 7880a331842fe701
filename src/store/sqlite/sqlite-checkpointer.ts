import { unlessFull } from "./sqlite-failure.ts";
import { closeDatabase, type Database, openDatabase, prepare, type Statement } from "./sqlite-driver.ts";

/**
 * The thread that moves the write-ahead log into the database while the writer goes on. It does nothing by
 * itself: each message is the order to open the database, for one passive checkpoint, or to end. It opens the
 * database at the start, when there are file descriptors.
 */
export type CheckpointOrder =
  | { readonly order: "open"; readonly path: string }
  | { readonly order: "checkpoint" }
  | { readonly order: "close" };

/** Frames in the log, and how many of them the database has by now. */
export interface CheckpointReport {
  readonly log: number;
  readonly checkpointed: number;
}

declare const self: {
  addEventListener(type: "message", listener: (event: { data: CheckpointOrder }) => void): void;
  postMessage(report: CheckpointReport): void;
};

let path = "";
let database: Database | undefined;
let checkpoint: Statement<CheckpointReport, []> | undefined;

self.addEventListener("message", ({ data }) => {
  if (data.order === "close") {
    if (database !== undefined) closeDatabase(database);
    process.exit();
  }
  if (data.order === "open") {
    ({ path } = data);
    try {
      checkpoint = opened();
    } catch {
      // The first checkpoint tries again. If it fails as well, that error ends the server.
    }
    return;
  }
  checkpoint ??= opened();
  self.postMessage(unlessFull(() => checkpoint?.get()) ?? { log: 0, checkpointed: 0 });
});

function opened(): Statement<CheckpointReport, []> {
  database ??= openDatabase(path);
  return prepare<CheckpointReport, []>(database, "PRAGMA wal_checkpoint(PASSIVE)");
}
