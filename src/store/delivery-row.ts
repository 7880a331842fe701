import type { ClaimedDelivery, Delivery, DeliveryState, ShownJob } from "../domain/delivery.ts";
import type { JobState } from "../domain/transitions.ts";

/** A delivery as the rows of every store have it. */
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

/** What an attempt needs in addition, without the payloads. */
export interface ClaimRow extends DeliveryRow {
  readonly webhook: Uint8Array;
  readonly queued_at: number;
  readonly taken_at: number | null;
  readonly worker: string | null;
  readonly losses: number;
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

/** The delivery with what it sends of its job. Each database has columns of its own for payloads. */
export function claimedOf(row: ClaimRow, payloads: Pick<ShownJob, "output" | "error">): ClaimedDelivery {
  return {
    ...deliveryOf(row),
    webhook: row.webhook,
    record: {
      id: row.job,
      state: row.job_state,
      queuedAt: row.queued_at,
      takenAt: row.taken_at ?? undefined,
      endedAt: row.ended_at,
      worker: row.worker ?? undefined,
      losses: row.losses,
      ...payloads,
      progress: undefined,
    },
  };
}
