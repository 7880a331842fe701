import { errorCode, type ForebayError, storageFull } from "../../domain/errors.ts";

const FULL = "SQLITE_FULL";

export type SqliteFailure =
  /** The caller learns of it: nothing has happened, and it may try again. */
  | { readonly kind: "refused"; readonly error: ForebayError }
  /** A fault of ours, or a row that breaks a promise of the schema: nothing has happened. */
  | { readonly kind: "fault"; readonly error: Error }
  /**
   * It is not known whether the last commit is on the disk, and a second fsync would not show it (PostgreSQL,
   * 2018).
   */
  | { readonly kind: "fatal"; readonly error: Error };

/**
 * Upkeep that a full disk may put off, such as a checkpoint: what it answers, or undefined when there was no
 * room for it. Then all that was committed is there, and the next time makes up for it.
 */
export function unlessFull<Answer>(upkeep: () => Answer): Answer | undefined {
  try {
    return upkeep();
  } catch (error) {
    if (errorCode(error) === FULL) return undefined;
    throw error;
  }
}

/** What an error that SQLite threw means for those who wait for the commit. */
export function sqliteFailure(thrown: unknown): SqliteFailure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const code = errorCode(error);
  if (code === FULL) {
    return { kind: "refused", error: storageFull() };
  }
  if (/^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code)) return { kind: "fatal", error };
  return { kind: "fault", error };
}
