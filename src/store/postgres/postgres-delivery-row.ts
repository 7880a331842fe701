import type { ClaimedDelivery, Delivery, DeliveryState } from "../../domain/delivery.ts";
import type { JobState } from "../../domain/transitions.ts";
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

export interface DeliveryRow {
  readonly endpoint: string;
  readonly id: string;
  readonly job: string;
  readonly receiver: string;
  readonly state: DeliveryState;
  readonly job_state: JobState;
  readonly ended_at: number;
  readonly due_at: number;
  readonly attempts: number;
  readonly started: number;
  readonly tried_at: number | null;
  readonly status: number | null;
  readonly reason: string | null;
}

export interface ClaimRow extends DeliveryRow {
  readonly webhook: Uint8Array;
  readonly queued_at: number;
  readonly taken_at: number | null;
  readonly worker: string | null;
  readonly losses: number;
  readonly output_ref: string | null;
  readonly error_ref: string | null;
  readonly output: Uint8Array | null;
  readonly error: Uint8Array | null;
  /** Before the claim. */
  readonly was_due_at: number;
}

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    endpoint: row.endpoint,
    id: row.id,
    job: row.job,
    receiver: row.receiver,
    state: row.state,
    jobState: row.job_state,
    endedAt: row.ended_at,
    dueAt: row.due_at,
    attempts: row.attempts,
    started: row.started,
    last:
      row.tried_at === null
        ? undefined
        : { at: row.tried_at, status: row.status ?? undefined, reason: row.reason ?? undefined },
  };
}

export function claimedOf(row: ClaimRow): ClaimedDelivery {
  return {
    ...deliveryOf(row),
    dueAt: row.was_due_at,
    webhook: row.webhook,
    record: {
      id: row.job,
      state: row.job_state,
      queuedAt: row.queued_at,
      takenAt: row.taken_at ?? undefined,
      endedAt: row.ended_at,
      worker: row.worker ?? undefined,
      losses: row.losses,
      output: payloadOf(row.output, row.output_ref),
      error: payloadOf(row.error, row.error_ref),
      progress: undefined,
    },
  };
}
