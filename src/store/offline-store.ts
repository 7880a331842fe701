import type { KeptData } from "./kept-data.ts";
import { withoutPassword } from "./postgres/postgres-boot.ts";
import { importIntoPostgres, type PostgresTarget } from "./postgres/postgres-import.ts";
import { sqliteKeptData } from "./sqlite/sqlite-kept-data.ts";
import type { ComparedRow } from "./tally.ts";

// What commands and checks do with stored data without a server: other rooms do not import an adapter.
export { type Manifest } from "./backup/manifest.ts";
export { readBackup } from "./backup/read-backup.ts";
export { findPostgresDamage } from "./postgres/postgres-find-damage.ts";
export { inspectPostgres } from "./postgres/postgres-inspect.ts";
export type { SchemaState } from "./postgres/postgres-migrate.ts";
export { newerData } from "./schema-releases.ts";
export { type Compacted, compactSqlite as compactStore } from "./sqlite/sqlite-compact.ts";
export { findSqliteDamage } from "./sqlite/sqlite-find-damage.ts";
export { inspectSqlite } from "./sqlite/sqlite-inspect.ts";
export { sqliteOfflineBackup as backUpDirectory } from "./sqlite/sqlite-offline-backup.ts";
export { lockDirectory } from "./sqlite/sqlite-open.ts";
export type { AdoptedFrom } from "./sqlite/sqlite-owner.ts";
export { restoreRefusal, restoreSqlite as restoreDirectory } from "./sqlite/sqlite-restore.ts";
export type { ComparedRow } from "./tally.ts";

export interface StoreMove {
  /** A data directory that no server uses. */
  readonly directory: string;
  /** A PostgreSQL without data of Forebay. */
  readonly target: PostgresTarget;
  /** Throws if the data must not be copied as it is. */
  readonly check: (kept: KeptData) => Promise<void>;
  /** Called now and then with the number of jobs and chunks that are copied. */
  readonly onProgress: (copied: number, all: number) => void;
}

/** Rows between two reports. */
const ROWS_PER_REPORT = 1_000;

/**
 * Copies all data of a directory into a database, completely or not at all, and marks the directory as moved.
 * Answers the counts of both. Throws OperatorFault.
 */
export async function moveStore({ directory, target, check, onProgress }: StoreMove): Promise<ComparedRow[]> {
  const kept = await sqliteKeptData(directory);
  try {
    await check(kept);
    const all = kept
      .tally()
      .filter(({ kind }) => kind === "chunks" || kind.startsWith("jobs "))
      .reduce((sum, { count }) => sum + count, 0);
    let copied = 0;
    const compared = await importIntoPostgres(target, kept, () => {
      if (++copied % ROWS_PER_REPORT === 0) onProgress(copied, all);
    });
    await kept.leave(withoutPassword(target.url));
    return compared;
  } finally {
    await kept.close();
  }
}
