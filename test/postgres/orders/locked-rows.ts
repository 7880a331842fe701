import type { SQL } from "bun";
import { until } from "../../support/until.ts";

/** Rows that a transaction beside all servers has locked. */
export interface LockedRows {
  /** Resolves when so many transactions wait, in the order of their calls. */
  waitedForBy(count: number): Promise<void>;
  /** Ends the transaction, and what it has written with it: the one that has waited longest goes on first. */
  release(): Promise<void>;
}

/** Locks what the statement locks, or writes what it writes. */
export async function lockRows(admin: SQL, statement: string): Promise<LockedRows> {
  const connection = await admin.reserve();
  await connection.unsafe("BEGIN");
  await connection.unsafe(statement);
  return {
    async waitedForBy(count) {
      await until(`${count} transactions wait`, async () => {
        const [row] = await admin.unsafe(WAITING);
        return row.waiting >= count;
      });
    },
    async release() {
      await connection.unsafe("ROLLBACK");
      await connection.release();
    },
  };
}

const WAITING = `
  SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
