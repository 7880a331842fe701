import type { SQL } from "bun";
import { until } from "../../support/until.ts";

/** Rows that a transaction beside all servers has locked. */
export interface LockedRows {
  /** Resolves when so many transactions wait for these rows, or for each other. */
  waitedForBy(count: number): Promise<void>;
  /** Ends the transaction, and what it has written with it: the one that has waited longest goes on first. */
  release(): Promise<void>;
}

/** Those that wait for anything but what the process `$1` has locked. */
const WAITING = `
  SELECT count(*)::int AS waiting FROM pg_stat_activity, pg_blocking_pids(pid) AS blocking
  WHERE datname = current_database() AND cardinality(blocking) > 0 AND NOT $1::int = ANY(blocking)`;

/** Locks what the statement locks, or writes what it writes. */
export async function lockRows(admin: SQL, statement: string): Promise<LockedRows> {
  const connection = await admin.reserve();
  await connection.unsafe("BEGIN");
  await connection.unsafe(statement);
  return {
    waitedForBy: (count) => areWaiting(admin, count),
    async release() {
      await connection.unsafe("ROLLBACK");
      await connection.release();
    },
  };
}

/** The same for rows that are locked one by one; `releaseLast` ends the lock of the last one alone. */
export async function lockBoth(admin: SQL, statements: readonly [string, string]) {
  const first = await lockRows(admin, statements[0]);
  const connection = await admin.reserve();
  await connection.unsafe("BEGIN");
  await connection.unsafe(statements[1]);
  const [{ pid }] = await connection.unsafe("SELECT pg_backend_pid() AS pid");
  return {
    first,
    async releaseLast(): Promise<void> {
      await connection.unsafe("ROLLBACK");
      await connection.release();
      // Whoever waited for it has gone on, as far as the first one lets it.
      await areWaiting(admin, 2, pid);
    },
  };
}

async function areWaiting(admin: SQL, count: number, notFor = 0): Promise<void> {
  await until(`${count} transactions wait`, async () => {
    const [row] = await admin.unsafe(WAITING, [notFor]);
    return row.waiting >= count;
  });
}
