import { Database, type Statement } from "bun:sqlite";
import { describe, expect, spyOn, test } from "bun:test";
import { closeDatabase, openDatabase } from "../../../src/store/sqlite/sqlite-driver.ts";
import { migrate } from "../../../src/store/sqlite/sqlite-schema.ts";
import {
  costOfJob,
  type HotPath,
  HOT_PATHS,
  type Phases,
  type StatementTap,
  STORE_CALLS,
} from "../../support/hot-path.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const ENQUEUE = "BEGIN IMMEDIATE, INSERT job, UPDATE counter, COMMIT";
/** The front of the queue is known. */
const TAKE = "BEGIN IMMEDIATE, UPDATE job, UPDATE counter, COMMIT";
/** Both steps are one row that is written once. */
const ENQUEUE_AND_TAKE = ENQUEUE;
/** The job is known from its hand-out. */
const FINISH = "BEGIN IMMEDIATE, UPDATE job, UPDATE counter, COMMIT";
/** What the exchange reads to tell its worker which jobs to stop. */
const STOPS = "SELECT job";

/** Exact: a statement that is added here runs for every job. */
const STATEMENTS: Readonly<Record<HotPath, Phases>> = {
  "public protocol, the worker waits": { take: "", submit: ENQUEUE_AND_TAKE, done: FINISH },
  "public protocol, the job waits": { submit: ENQUEUE, take: TAKE, done: FINISH },
  "exchange, the worker waits": {
    take: `${STOPS}, ${STOPS}`,
    submit: `${ENQUEUE_AND_TAKE}, ${STOPS}`,
    done: `${FINISH}, ${STOPS}`,
  },
  "exchange, the job waits": {
    submit: ENQUEUE,
    take: `${TAKE}, ${STOPS}`,
    done: `${FINISH}, ${STOPS}`,
  },
};

/**
 * Entries that the statements of one job write into each b-tree, for rows and for indexes. Those
 * of a partial index count even when its WHERE keeps the row out.
 */
const ENTRIES = {
  "the worker waits": {
    job: 2,
    job_due: 2,
    job_held: 2,
    job_kept: 2,
    sqlite_autoindex_job_1: 1,
    counter: 2,
  },
  "the job waits": {
    job: 3,
    job_due: 3,
    job_held: 3,
    job_kept: 3,
    sqlite_autoindex_job_1: 1,
    counter: 3,
  },
};

describe("a job on SQLite costs no more than before", () => {
  test.each(HOT_PATHS)("%s", async (path) => {
    await using directory = await temporaryDirectory();
    using tap = tapSqlite(directory.path);
    const { calls, statements, run } = await costOfJob(path, tap);
    expect({ calls, statements }).toEqual({ calls: STORE_CALLS[path], statements: STATEMENTS[path] });
    expect(entriesOf(run)).toEqual(
      ENTRIES[path.endsWith("the worker waits") ? "the worker waits" : "the job waits"],
    );
  });
});

/** Notes each statement that is run from here on, by a server on this directory. */
function tapSqlite(directory: string): StatementTap & Disposable {
  let noted: string[] = [];
  const { prepare } = Database.prototype;
  const spy = spyOn(Database.prototype, "prepare");
  spy.mockImplementation(function (this: Database, sql: string) {
    // oxlint-disable-next-line typescript/no-explicit-any -- the rows of a statement are what its SQL says
    const statement: Statement<any, any> = Reflect.apply(prepare, this, [sql]);
    for (const name of ["get", "all", "iterate", "run"] as const) {
      const run = statement[name];
      statement[name] = (...values: unknown[]) => {
        // One in many commits looks how long the log has become.
        if (!sql.startsWith("PRAGMA wal_checkpoint")) noted.push(sql);
        return Reflect.apply(run, statement, values);
      };
    }
    return statement;
  });
  return {
    flags: { data: directory },
    taken() {
      const all = noted;
      noted = [];
      return all;
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}

interface Operation {
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
}

/** Entries that these statements write, by b-tree, as SQLite plans them. */
function entriesOf(statements: readonly string[]): Record<string, number> {
  const database = openDatabase(":memory:");
  migrate(database);
  const trees = new Map(
    database
      .prepare<{ name: string; rootpage: number }, []>("SELECT name, rootpage FROM sqlite_schema")
      .all()
      .map(({ name, rootpage }) => [rootpage, name]),
  );
  const written: Record<string, number> = {};
  for (const statement of statements) {
    const operations = database.prepare<Operation, []>(`EXPLAIN ${statement}`).all();
    const cursors = new Map(
      operations.filter(({ opcode }) => opcode === "OpenWrite").map(({ p1, p2 }) => [p1, trees.get(p2)]),
    );
    for (const { opcode, p1 } of operations) {
      const tree = opcode === "Insert" || opcode === "IdxInsert" ? cursors.get(p1) : undefined;
      if (tree !== undefined) written[tree] = (written[tree] ?? 0) + 1;
    }
  }
  closeDatabase(database);
  return written;
}
