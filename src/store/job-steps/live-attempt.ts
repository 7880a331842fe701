import { dueAt } from "../../domain/job-times.ts";
import type { JobColumns } from "../job-columns.ts";
import type { JobTransaction } from "./job-transaction.ts";

/** Who speaks of which attempt; without an attempt, of the one that the worker holds. */
interface Speaker {
  readonly endpoint: string;
  readonly id: string;
  readonly worker: string;
  readonly attempt: number | undefined;
}

/**
 * The running attempt that the worker may speak of, or undefined: late, duplicate and foreign calls change
 * nothing.
 */
export function liveAttempt(
  transaction: JobTransaction,
  { endpoint, id, worker, attempt }: Speaker,
): JobColumns | undefined {
  const row = transaction.find(endpoint, id);
  if (row?.state !== "IN_PROGRESS" || row.holder !== worker) return undefined;
  return attempt === undefined || attempt === row.attempt ? row : undefined;
}

/**
 * The worker has shown that it has the job: the delivery lease is over, its own lease holds from here, and
 * earlier denials are forgiven. `leaseFrom`: it pings, so it has a lease from then on if it had none.
 */
export function prove(transaction: JobTransaction, row: JobColumns, leaseFrom?: number): void {
  const getsLease = leaseFrom !== undefined && row.lease_ends_at === null;
  if ((row.proved && row.denials === 0 && !getsLease) || row.taken_at === null) return;
  const deadlines = { executionTimeout: row.execution_timeout, expiresAt: row.expires_at };
  const due = dueAt.proved(row.taken_at, deadlines);
  const lease = row.lease_ends_at ?? leaseFrom ?? null;
  transaction.change(row, { proved: true, denials: 0, due_at: due, lease_ends_at: lease });
}
