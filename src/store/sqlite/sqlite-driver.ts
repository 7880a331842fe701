import { constants, Database, type SQLQueryBindings } from "bun:sqlite";
import { pathToFileURL } from "node:url";
import { errorCode } from "../../domain/errors.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

export type { Database };

/** What a parameter of a statement can be. */
export type Parameter = SQLQueryBindings;

/** A compiled statement; parameters by position. */
export interface Statement<Row, Parameters extends SQLQueryBindings[]> {
  get(...parameters: Parameters): Row | null;
  all(...parameters: Parameters): Row[];
  /** One row after the other, so that they need not fit into memory. */
  iterate(...parameters: Parameters): Iterable<Row>;
  run(...parameters: Parameters): { readonly changes: number; readonly lastInsertRowid: number | bigint };
}

/** A compiled statement whose parameters come as one list: faster where there are many. */
export interface ListStatement {
  run(parameters: readonly Parameter[]): { readonly changes: number };
}

/** Before this version a reset of the write-ahead log could corrupt the database. */
const OLDEST_SQLITE = [3, 51, 3] as const;

const PRAGMAS: readonly (readonly [name: string, set: string, expected: string | number])[] = [
  ["journal_mode", "wal", "wal"],
  ["synchronous", "full", 2],
  ["mmap_size", "0", 0],
  // Checkpoints run in a thread (sqlite-checkpointer.ts), never inside a commit.
  ["wal_autocheckpoint", "0", 0],
  ["temp_store", "memory", 2],
  // KiB, negative by SQLite's convention: the page cache is the greater part of the server's memory.
  ["cache_size", "-8192", -8192],
];

/**
 * Opens or creates the database at `path`; `:memory:` gives one that lives as long as the process. What it
 * acknowledges survives a power cut: write-ahead log, `synchronous=FULL`, no memory mapping. Each setting is
 * read back, because a build can silently ignore one.
 */
export function openDatabase(path: string): Database {
  assertVersion();
  const database = new Database(path, { create: true, strict: true });
  try {
    configure(database, path);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

function configure(database: Database, path: string): void {
  // This works only for a database without pages. Any other one needs a VACUUM (sqlite-disk-space.ts).
  const pages = database.query<{ page_count: number }, []>("PRAGMA page_count").get()?.page_count;
  if (pages === 0) database.run("PRAGMA auto_vacuum = INCREMENTAL");
  for (const [name, value, expected] of PRAGMAS) {
    database.run(`PRAGMA ${name} = ${value}`);
    const row = database.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get();
    const actual = row === null ? undefined : Object.values(row)[0];
    if (actual !== expected && !isInMemory(path, name, actual)) {
      throw new Error(`SQLite did not accept ${name} = ${value}: it says ${String(actual)}`);
    }
  }
}

/**
 * Opens the database at `path` for reading. If a server uses it (`isInUse`), its commits are seen. If not,
 * the database must have been closed properly, and no file is created next to it.
 */
export function openToRead(path: string, isInUse: boolean): Database {
  if (isInUse) return new Database(path, { readonly: true, strict: true });
  const address = pathToFileURL(path);
  address.searchParams.set("immutable", "1");
  return new Database(address.href, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

/**
 * Copies the database at `from` as it is at this moment into the new file `to`, without free pages. A server
 * that uses it goes on, and its write-ahead log grows meanwhile. `hasLog` as `isInUse` of `openToRead`.
 */
export function copyDatabase(from: string, to: string, hasLog: boolean): void {
  const database = openToRead(from, hasLog);
  try {
    database.query("VACUUM INTO ?1").run(to);
  } finally {
    database.close();
  }
}

/** Opens the database at `path` for as long as the answer is not called, so that nobody else can. */
export function holdExclusively(path: string): () => void {
  const database = new Database(path, { create: true });
  try {
    database.run("PRAGMA busy_timeout = 0");
    database.run("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    throw error;
  }
  return () => database.close();
}

/** Whether somebody holds the database at `path` exclusively. It is read only. */
export function isHeld(path: string): boolean {
  const database = new Database(path, { readonly: true });
  try {
    database.run("PRAGMA busy_timeout = 0");
    database.query("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    if (errorCode(error) !== "SQLITE_BUSY") throw error;
    return true;
  } finally {
    database.close();
  }
}

/** What `prepare` has compiled for each open database. */
const statements = new WeakMap<Database, { finalize(): void }[]>();

/** A statement that is compiled once. Parameters are `?1`, `?2`, … */
export function prepare<Row, Parameters extends SQLQueryBindings[]>(
  database: Database,
  sql: string,
): Statement<Row, Parameters> {
  const statement = database.prepare(sql);
  const prepared = statements.get(database) ?? [];
  prepared.push(statement);
  statements.set(database, prepared);
  // The rows and parameters of a statement are what its SQL says; only this function can claim it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return statement as unknown as Statement<Row, Parameters>;
}

/** As `prepare`. */
export function prepareList(database: Database, sql: string): ListStatement {
  // A list in place of all parameters is what the driver takes as well; its types do not say so.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return prepare<never, Parameter[]>(database, sql) as unknown as ListStatement;
}

/**
 * Closes the database with all its statements: SQLite keeps the files open as long as one of them lives. The
 * last to close also empties the write-ahead log and removes it.
 */
export function closeDatabase(database: Database): void {
  for (const statement of statements.get(database) ?? []) statement.finalize();
  statements.delete(database);
  database.close();
}

function isInMemory(path: string, pragma: string, actual: unknown): boolean {
  return path === ":memory:" && (actual === undefined || (pragma === "journal_mode" && actual === "memory"));
}

function assertVersion(): void {
  const database = new Database(":memory:");
  const version =
    database.query<{ version: string }, []>("SELECT sqlite_version() AS version").get()?.version ?? "";
  database.close();
  const parts = version.split(".").map(Number);
  for (const [index, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part > oldest) return;
    if (part < oldest)
      throw new OperatorFault(
        `SQLite ${version} is too old: Forebay requires ${OLDEST_SQLITE.join(".")} or newer`,
      );
  }
}
