import { withoutPassword } from "./postgres/postgres-boot.ts";
import { importIntoPostgres, type PostgresTarget } from "./postgres/postgres-import.ts";
import type { KeptData } from "./kept-data.ts";
import { sqliteKeptData } from "./sqlite/sqlite-kept-data.ts";
import type { ComparedRow } from "./tally.ts";

export interface StoreMove {
  /** A data directory that no server uses. */
  readonly directory: string;
  /** A PostgreSQL without data of Forebay. */
  readonly target: PostgresTarget;
  /** Throws when the data must not be moved as it is. */
  readonly check: (kept: KeptData) => Promise<void>;
  /** Told now and then how many of the jobs and chunks are copied. */
  readonly onProgress: (copied: number, all: number) => void;
}

/** Rows between two reports. */
const ROWS_PER_REPORT = 1_000;

/**
 * Copies all that a data directory keeps into a database, as a whole or not at all, and marks the directory
 * as left. Answers the counts of both. Throws one sentence when it cannot be done.
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
