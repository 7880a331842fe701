import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** Tables that can have a million rows; the others have a handful. */
const LARGE = /\b(job|payload|attempt|chunk|contact|history|idempotency)\b/;

const BETWEEN_PLACES = "(endpoint=? AND (ended_at,id)>(?,?) AND (ended_at,id)<(?,?))";

/**
 * All ways by which statements come to rows of these tables: each leads to those that are asked for and past
 * few others. One that is not among them, above all a SCAN, has to be thought of with a million jobs queued
 * and as many kept.
 */
const WAYS = [
  "SEARCH attempt USING PRIMARY KEY (job=? AND number<?)",
  "SEARCH attempt USING PRIMARY KEY (job=? AND number=?)",
  "SEARCH attempt USING PRIMARY KEY (job=?)",
  "SEARCH chunk USING PRIMARY KEY (job=? AND number<?)",
  "SEARCH chunk USING PRIMARY KEY (job=? AND number=?)",
  "SEARCH chunk USING PRIMARY KEY (job=?)",
  "SEARCH contact USING COVERING INDEX contact_last (last_contact<?)",
  "SEARCH contact USING INDEX contact_last (last_contact<?)",
  "SEARCH contact USING PRIMARY KEY (endpoint=? AND worker=?)",
  "SEARCH contact USING PRIMARY KEY (endpoint=?)",
  // When records are written: the highest number of a row.
  "SEARCH history",
  `SEARCH history USING COVERING INDEX history_end ${BETWEEN_PLACES}`,
  `SEARCH history USING COVERING INDEX history_failed ${BETWEEN_PLACES}`,
  "SEARCH history USING COVERING INDEX sqlite_autoindex_history_1 (endpoint=? AND id=?)",
  "SEARCH history USING COVERING INDEX sqlite_autoindex_history_1 (endpoint=?)",
  // From one endpoint with records to the next.
  "SEARCH history USING COVERING INDEX sqlite_autoindex_history_1 (endpoint>?)",
  `SEARCH history USING INDEX history_end ${BETWEEN_PLACES}`,
  `SEARCH history USING INDEX history_failed ${BETWEEN_PLACES}`,
  "SEARCH history USING INDEX sqlite_autoindex_history_1 (endpoint=? AND id=?)",
  // The oldest records.
  "SEARCH history USING INTEGER PRIMARY KEY (rowid<?)",
  "SEARCH history USING INTEGER PRIMARY KEY (rowid=?)",
  "SEARCH history USING INTEGER PRIMARY KEY (rowid>?)",
  "SEARCH idempotency USING COVERING INDEX idempotency_until (until<?)",
  "SEARCH idempotency USING INDEX idempotency_job (job=?)",
  "SEARCH idempotency USING PRIMARY KEY (endpoint=? AND key=?)",
  // At the start of the server: the highest number of a row.
  "SEARCH job",
  // How many wait before a job: so many of them are counted at most.
  "SEARCH job USING COVERING INDEX job_held (endpoint=? AND holder=? AND position<?)",
  "SEARCH job USING COVERING INDEX job_held (endpoint=? AND holder=?)",
  "SEARCH job USING COVERING INDEX sqlite_autoindex_job_1 (endpoint=? AND id=?)",
  "SEARCH job USING COVERING INDEX sqlite_autoindex_job_1 (endpoint=? AND id>? AND id<?)",
  "SEARCH job USING INDEX job_due (due_at<?)",
  "SEARCH job USING INDEX job_held (endpoint=? AND holder=? AND position<?)",
  "SEARCH job USING INDEX job_held (endpoint=? AND holder=? AND position>?)",
  "SEARCH job USING INDEX job_held (endpoint=? AND holder=?)",
  "SEARCH job USING INDEX job_held (endpoint=? AND holder=?) LEFT-JOIN",
  // The running jobs of an endpoint: as many as its workers hold.
  "SEARCH job USING INDEX job_held (endpoint=? AND holder>?)",
  "SEARCH job USING INDEX job_kept (beside=? AND due_at<?)",
  // For a new key: all jobs, a hundred at a time.
  "SEARCH job USING INDEX sqlite_autoindex_job_1 ((endpoint,id)>(?,?))",
  "SEARCH job USING INDEX sqlite_autoindex_job_1 (endpoint=? AND id=?)",
  "SEARCH job USING INDEX sqlite_autoindex_job_1 (endpoint=? AND id>? AND id<?)",
  "SEARCH job USING INTEGER PRIMARY KEY (rowid=?)",
  // At the start of the server: the files there are.
  "SEARCH payload USING COVERING INDEX payload_file (file=?)",
  "SEARCH payload USING COVERING INDEX payload_file (file>?)",
  "SEARCH payload USING INTEGER PRIMARY KEY (rowid=?)",
];

/** What may be sorted: the running jobs, and the page of a list that is merged from two walks. */
const SORTED = /holder > ''|AS place/;

test("depth: every statement finds its jobs by an index, however many wait and are kept", async () => {
  const plans = await plansOfStore();

  const ways = new Set([...plans.values()].flat().filter((way) => LARGE.test(way)));

  expect([...ways].toSorted()).toEqual(WAYS);
});

test("depth: no statement sorts what waits or is kept", async () => {
  const plans = await plansOfStore();

  const sorting = [...plans].filter(([, ways]) => ways.some((way) => way.includes("TEMP B-TREE")));

  expect(sorting.map(([statement]) => statement).filter((statement) => !SORTED.test(statement))).toEqual([]);
});

/** Every statement that the store compiles, which it does when it is opened, with its query plan. */
async function plansOfStore(): Promise<Map<string, string[]>> {
  await using directory = await temporaryDirectory();
  using prepare = spyOn(Database.prototype, "prepare");
  const onFatal = (error: Error): never => {
    throw error;
  };
  const store = await openSqliteStore({ directory: directory.path, onFatal });
  const statements = prepare.mock.calls.map(([sql]) => sql);
  await store.close();

  const database = new Database(join(directory.path, "forebay.db"));
  const plans = new Map(statements.map((statement) => [statement, plan(database, statement)]));
  database.close();
  return plans;
}

function plan(database: Database, statement: string): string[] {
  const rows = database.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`).all();
  return rows.map(({ detail }) => detail);
}
