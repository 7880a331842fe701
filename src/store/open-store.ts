import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { newMemoryDatabase } from "./memory/memory-database.ts";
import { openMemoryStore } from "./memory/memory-store.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import type { Owner } from "./sqlite/sqlite-owner.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { Store } from "./store.ts";

export interface StoreOptions {
  /** A PostgreSQL; empty: the directory. */
  readonly databaseUrl: string;
  readonly databaseListenUrl: string;
  /** The data directory; undefined keeps the data in memory. */
  readonly directory: string | undefined;
  /** The server that opens it. */
  readonly owner: Owner;
  /** SHA-256 of the keys that open secrets, the newest first. */
  readonly keyDigests: readonly string[];
  readonly log: Log;
  readonly onCommit: ((mark: "begin" | "end") => void) | undefined;
  readonly onTransaction: (() => (steps: number) => void) | undefined;
  /** Called when the disk can no longer be trusted: the process must end and recover from what is durable. */
  readonly onFatal: (error: Error) => void;
  /** As `Clock.after`. The store is opened before the clock, which needs the time of the data. */
  readonly after: Clock["after"];
}

/** Opens the configured store. Throws OperatorFault if that is not possible. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl, databaseListenUrl, directory, owner, keyDigests, log, ...marks } = options;
  const { onCommit, onTransaction, onFatal, after } = marks;
  if (databaseUrl !== "") {
    const urls = { url: databaseUrl, listenUrl: databaseListenUrl };
    return openPostgresStore({ ...urls, keyDigests, log, onCommit, onTransaction });
  }
  if (directory === undefined) {
    return openMemoryStore({ database: newMemoryDatabase(), onCommit, onTransaction });
  }
  return openSqliteStore({ directory, owner, onFatal, onCommit, onTransaction, after });
}
