import type { ClaimedDelivery, Delivery, DeliveryState } from "../../domain/delivery.ts";
import type { JobState } from "../../domain/transitions.ts";
import type { PayloadColumn, Payloads } from "./sqlite-payloads.ts";

/** The columns that make a `Delivery`, and its number in this database. */
export const DELIVERY_COLUMNS = `seq, endpoint, id, job, receiver, state, job_state, ended_at, due_at,
  attempts, started, tried_at, status, reason`;

/** What an attempt needs beside these. */
export const CLAIM_COLUMNS = "webhook, queued_at, taken_at, worker, losses, output, error, size";

export interface DeliveryRow {
  readonly seq: number;
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
  readonly output: PayloadColumn | null;
  readonly error: PayloadColumn | null;
  readonly size: number;
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

/** The delivery of a row as it was before it was claimed, for the attempt that begins with the claim. */
export function claimedOf(row: ClaimRow, payloads: Payloads): ClaimedDelivery {
  const load = (column: PayloadColumn | null) => (column === null ? undefined : payloads.load(column));
  return {
    ...deliveryOf(row),
    started: row.started + 1,
    webhook: row.webhook,
    record: {
      id: row.job,
      state: row.job_state,
      queuedAt: row.queued_at,
      takenAt: row.taken_at ?? undefined,
      endedAt: row.ended_at,
      worker: row.worker ?? undefined,
      losses: row.losses,
      output: load(row.output),
      error: load(row.error),
      progress: undefined,
    },
  };
}
