import { unlessFull } from "./sqlite-failure.ts";
import { closeDatabase, type Database, openDatabase, prepare, type Statement } from "./sqlite-driver.ts";

/**
 * The thread that moves the write-ahead log into the database while the writer goes on. It does nothing by
 * itself: each message is the order for one passive checkpoint, or to end.
 */
export type CheckpointOrder =
  { readonly order: "checkpoint"; readonly path: string } | { readonly order: "close" };

/** Frames in the log, and how many of them the database has by now. */
export interface CheckpointReport {
  readonly log: number;
  readonly checkpointed: number;
}

declare const self: {
  addEventListener(type: "message", listener: (event: { data: CheckpointOrder }) => void): void;
  postMessage(report: CheckpointReport): void;
};

let database: Database | undefined;
let checkpoint: Statement<CheckpointReport, []> | undefined;

self.addEventListener("message", ({ data }) => {
  if (data.order === "close") {
    if (database !== undefined) closeDatabase(database);
    process.exit();
  }
  database ??= openDatabase(data.path);
  checkpoint ??= prepare<CheckpointReport, []>(database, "PRAGMA wal_checkpoint(PASSIVE)");
  self.postMessage(unlessFull(() => checkpoint?.get()) ?? { log: 0, checkpointed: 0 });
});
