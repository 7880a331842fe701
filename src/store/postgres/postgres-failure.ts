import { errorCode, ForebayError, storageFull } from "../../domain/errors.ts";

/** The database cannot be asked, or did not answer. */
export class PostgresUnavailable extends Error {}

/** Two transactions were in each other's way: nothing has happened, and the next try can succeed. */
export class PostgresCollision extends Error {}

export type PostgresFailure =
  /** The database does not answer. It can be unknown whether a commit has happened. */
  | { readonly kind: "unavailable"; readonly error: ForebayError }
  /** The caller learns of it: nothing has happened, and it may try again. */
  | { readonly kind: "refused"; readonly error: ForebayError }
  /** Nothing has happened, and another try can succeed at once. */
  | { readonly kind: "collision"; readonly error: Error }
  /** The same, and the cached rows must be forgotten first. */
  | { readonly kind: "stale"; readonly error: Error }
  /** A fault of ours, or a row that breaks a promise of the schema: nothing has happened. */
  | { readonly kind: "fault"; readonly error: Error };

const DISK_FULL = "53100";

/** Serialization failure, deadlock, lock not available, an endpoint that was removed at the same time. */
const COLLISIONS = new Set(["40001", "40P01", "55P03", "23503"]);

/** A division by zero: our statements fail so if they do not find the rows that they rely on. */
const STALE = "22012";

/**
 * Classes of SQLSTATE (PostgreSQL, appendix A) that are about the server and not about the statement: 08
 * connections, 53 resources, 57 operator, 58 system; and the errors of a server that was demoted to a
 * standby, or whose fail-over is not finished yet.
 */
const UNAVAILABLE = /^(08|53|57|58|25001|25006|25P03|28|3D000)/;

/** Those after which another server may be the primary: it stops, starts, or is a standby. */
const OTHER_SERVER = /^(08|57P0[123]|58|25001|25006)/;

/** The SQLSTATE of what the driver threw; empty when it did not come from the server. */
export function sqlState(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null || !("errno" in thrown)) return "";
  return typeof thrown.errno === "string" ? thrown.errno : "";
}

/** What an error of the database means for those who wait for it. */
export function postgresFailure(thrown: unknown): PostgresFailure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const state = sqlState(thrown);
  if (state === DISK_FULL) return { kind: "refused", error: storageFull() };
  if (state === STALE) return { kind: "stale", error };
  if (COLLISIONS.has(state) || error instanceof PostgresCollision) return { kind: "collision", error };
  if (UNAVAILABLE.test(state) || error instanceof PostgresUnavailable || isOfConnection(error)) {
    return { kind: "unavailable", error: unavailable(error) };
  }
  return { kind: "fault", error };
}

/** The answer to a statement outside a transaction, or the error for its caller. */
export async function orUnavailable<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (thrown) {
    const { kind, error } = postgresFailure(thrown);
    throw kind === "collision" || kind === "stale" ? unavailable(error) : error;
  }
}

/** Whether it may be that this server is the primary no longer. */
export function isOfServer(thrown: unknown): boolean {
  if (thrown instanceof PostgresUnavailable) return true;
  return OTHER_SERVER.test(sqlState(thrown)) || (thrown instanceof Error && isOfConnection(thrown));
}

/** An error of the driver without SQLSTATE: refused, closed, timed out, or a protocol that broke off. */
function isOfConnection(error: Error): boolean {
  const code = errorCode(error);
  return code.startsWith("ERR_POSTGRES_") && code !== "ERR_POSTGRES_SERVER_ERROR";
}

/** The error for callers if the database does not answer. */
export function unavailable(cause: Error): ForebayError {
  const error = new ForebayError(
    "STORAGE_UNAVAILABLE",
    "The database does not answer, so it is unknown whether this was stored. Try again in a moment.",
  );
  error.cause = cause;
  return error;
}
