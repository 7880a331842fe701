import type { ClaimedDelivery } from "../../domain/delivery.ts";
import { type ClaimRow, claimedOf } from "../delivery-row.ts";
import type { PayloadColumn, Payloads } from "./sqlite-payloads.ts";

/** The columns that make a `Delivery`. */
export const DELIVERY_COLUMNS = `endpoint, id, job, receiver, state, job_state, ended_at, due_at,
  attempts, started, tried_at, status, reason`;

/** What an attempt needs beside these. */
export const CLAIM_COLUMNS = "seq, webhook, queued_at, taken_at, worker, losses, output, error, size";

export interface SqliteClaimRow extends ClaimRow {
  /** Its number in this database. */
  readonly seq: number;
  readonly output: PayloadColumn | null;
  readonly error: PayloadColumn | null;
  readonly size: number;
}

/** The delivery of a row as it was before it was claimed, for the attempt that begins with the claim. */
export function sqliteClaimedOf(row: SqliteClaimRow, payloads: Payloads): ClaimedDelivery {
  const load = (column: PayloadColumn | null) => (column === null ? undefined : payloads.load(column));
  const claimed = claimedOf(row, { output: load(row.output), error: load(row.error) });
  return { ...claimed, started: row.started + 1 };
}
