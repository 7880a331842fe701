import { dueAt } from "../../domain/deadlines.ts";
import { prepare } from "./sqlite-driver.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";

export interface LiveAttempt {
  readonly seq: number;
  readonly attempt: number;
  readonly taken_at: number;
  readonly expires_at: number;
  readonly execution_timeout: number;
  readonly proved: number;
  readonly denials: number;
  readonly chunks: number;
  readonly chunk_bytes: number;
  readonly progress: PayloadColumn | null;
}

/** Who speaks of which attempt; without an attempt, of the one that the worker holds. */
interface Speaker {
  readonly endpoint: string;
  readonly id: string;
  readonly worker: string;
  readonly attempt: number | undefined;
}

type ProvableAttempt = Omit<LiveAttempt, "chunks" | "chunk_bytes" | "progress" | "attempt"> & {
  readonly lease_ends_at?: number | null;
};

export interface LiveAttempts {
  /**
   * The running attempt that the worker may speak of, or null: late, duplicate and foreign calls change
   * nothing.
   */
  find(speaker: Speaker): LiveAttempt | null;
  /**
   * The worker has shown that it has the job: the delivery lease is over, its own lease holds from here, and
   * earlier denials are forgiven. `leaseFrom`: it pings, so it has a lease from then on if it had none.
   */
  prove(row: ProvableAttempt, leaseFrom?: number): void;
}

export function sqliteLiveAttempts({ database }: Tables): LiveAttempts {
  const select = prepare<LiveAttempt, [endpoint: string, id: string, worker: string, attempt: number | null]>(
    database,
    `SELECT seq, attempt, taken_at, expires_at, execution_timeout, proved, denials, chunks,
            chunk_bytes, progress
     FROM job
     WHERE endpoint = ?1 AND id = ?2 AND state = 'IN_PROGRESS' AND holder = ?3
       AND attempt = ifnull(?4, attempt)`,
  );
  const update = prepare<never, [seq: number, due: number, leaseFrom: number | null]>(
    database,
    `UPDATE job SET proved = 1, denials = 0, due_at = ?2, lease_ends_at = ifnull(lease_ends_at, ?3)
     WHERE seq = ?1`,
  );

  return {
    find: ({ endpoint, id, worker, attempt }) => select.get(endpoint, id, worker, attempt ?? null),

    prove(row, leaseFrom) {
      const getsLease = leaseFrom !== undefined && row.lease_ends_at === null;
      if (row.proved === 1 && row.denials === 0 && !getsLease) return;
      const deadlines = { executionTimeout: row.execution_timeout, expiresAt: row.expires_at };
      update.run(row.seq, dueAt.proved(row.taken_at, deadlines), leaseFrom ?? null);
    },
  };
}
