import { describe, expect, test } from "bun:test";
import {
  costOfJob,
  type HotPath,
  HOT_PATH_JOBS,
  HOT_PATHS,
  type Phases,
  STORE_CALLS,
} from "../support/hot-path.ts";
import { tapPostgres } from "../support/postgres-tap.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { until } from "../support/until.ts";

const COUNT = "INSERT counter + SELECT queue";
const ENQUEUE = `BEGIN, SELECT counter, INSERT job, ${COUNT}, COMMIT`;
const TAKE = `BEGIN, SELECT job, UPDATE job, ${COUNT}, COMMIT`;
const ENQUEUE_AND_TAKE = `BEGIN, SELECT counter, SELECT job, INSERT job, ${COUNT}, COMMIT`;
/** This server has handed the job out, so its row is cached, and not read. */
const FINISH = `BEGIN, UPDATE job, ${COUNT}, COMMIT`;
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
 * The indexes of the tables that these statements write. A row that is inserted, or updated without HOT, gets
 * an entry in each of them whose WHERE takes it in.
 */
const INDEXES = [
  "counter_pkey ON forebay.counter USING btree (endpoint, slot)",
  "job_due ON forebay.job USING btree (due_at)",
  'job_held ON forebay.job USING btree (endpoint, holder, "position") WHERE (holder IS NOT NULL)',
  "job_pkey ON forebay.job USING btree (endpoint, id)",
  "job_stopping ON forebay.job USING btree (endpoint, holder) " +
    "WHERE ((holder > ''::text) AND (ended_at IS NOT NULL))",
];

describe("a job on PostgreSQL costs no more than before", () => {
  const postgres = suiteDatabases();

  test.each(HOT_PATHS)("%s", async (path) => {
    const { url, giveBack } = await postgres().lendDatabase();
    await using tap = await tapPostgres(url);
    const flags = { "database-url": tap.url };
    const { calls, statements } = await costOfJob(path, { flags, taken: tap.taken });
    expect({ calls, statements }).toEqual({ calls: STORE_CALLS[path], statements: STATEMENTS[path] });
    const database = new URL(url).pathname.slice(1);
    await until("the server's connections have ended", () => hasEnded(database));
    // A job that leaves with the commit that stores it is written once less.
    const writes = path.endsWith("the worker waits") ? 2 : 3;
    expect(await rowsOf("job", database)).toEqual({
      inserted: HOT_PATH_JOBS,
      updated: (writes - 1) * HOT_PATH_JOBS,
      updatedByHot: 0,
    });
    // The first row is that of the new endpoint; HOT writes no entry into an index.
    const counted = writes * HOT_PATH_JOBS;
    expect(await rowsOf("counter", database)).toEqual({
      inserted: 1,
      updated: counted,
      updatedByHot: counted,
    });
    expect(await indexes(database)).toEqual(INDEXES);
    await giveBack();
  });

  /** PostgreSQL adds what a connection has written to its statistics when the connection ends. */
  async function hasEnded(database: string): Promise<boolean> {
    const others = await postgres().run(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      database,
    );
    return others.length === 0;
  }

  /** Rows of the table that have been written. */
  async function rowsOf(table: string, database: string): Promise<unknown> {
    const [row] = await postgres().run(
      `SELECT n_tup_ins::integer AS inserted, n_tup_upd::integer AS updated,
              n_tup_hot_upd::integer AS "updatedByHot"
       FROM pg_stat_user_tables WHERE schemaname = 'forebay' AND relname = '${table}'`,
      database,
    );
    return row;
  }

  async function indexes(database: string): Promise<string[]> {
    const rows = await postgres().run<{ definition: string }>(
      `SELECT indexdef AS definition FROM pg_indexes
       WHERE schemaname = 'forebay' AND tablename IN ('job', 'counter') ORDER BY indexname`,
      database,
    );
    return rows.map(({ definition }) => definition.replace(/^CREATE (UNIQUE )?INDEX /, ""));
  }
});
