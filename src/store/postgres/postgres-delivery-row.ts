import type { ClaimedDelivery } from "../../domain/delivery.ts";
import { type ClaimRow, claimedOf } from "../delivery-row.ts";
import { payloadOf } from "./postgres-payload-columns.ts";

/** The columns that make a `Delivery`. */
export const DELIVERY_COLUMNS = `delivery.endpoint, delivery.id, delivery.job, delivery.receiver,
  delivery.state, delivery.job_state, delivery.ended_at::float8 AS ended_at,
  delivery.due_at::float8 AS due_at, delivery.attempts, delivery.started,
  delivery.tried_at::float8 AS tried_at, delivery.status, delivery.reason`;

/** What an attempt needs beside these. */
export const CLAIM_COLUMNS = `delivery.webhook, delivery.queued_at::float8 AS queued_at,
  delivery.taken_at::float8 AS taken_at, delivery.worker, delivery.losses, delivery.output_ref,
  delivery.error_ref, delivery.output, delivery.error`;

export interface PostgresClaimRow extends ClaimRow {
  readonly output_ref: string | null;
  readonly error_ref: string | null;
  readonly output: Uint8Array | null;
  readonly error: Uint8Array | null;
  /** Before the claim. */
  readonly was_due_at: number;
}

export function postgresClaimedOf(row: PostgresClaimRow): ClaimedDelivery {
  const output = payloadOf(row.output, row.output_ref);
  const error = payloadOf(row.error, row.error_ref);
  return { ...claimedOf(row, { output, error }), dueAt: row.was_due_at };
}
