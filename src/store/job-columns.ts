import type { Job } from "../domain/job.ts";
import { sizeOf } from "../domain/payload.ts";
import type { TagsColumn } from "../domain/tags.ts";
import type { JobState } from "../domain/transitions.ts";
import type { Enqueue } from "./enqueue-step.ts";

/** The columns of a job that have the same name and meaning in every store. */
export interface JobColumns {
  readonly endpoint: string;
  readonly id: string;
  readonly state: JobState;
  readonly position: number;
  readonly holder: string | null;
  readonly worker: string | null;
  readonly attempt: number;
  readonly losses: number;
  readonly undelivered: number;
  readonly proved: boolean;
  readonly denials: number;
  readonly barred: string | null;
  readonly barred_until: number | null;
  readonly queued_at: number;
  readonly taken_at: number | null;
  readonly lease_ends_at: number | null;
  readonly ended_at: number | null;
  readonly ttl: number;
  readonly expires_at: number;
  readonly execution_timeout: number;
  readonly retention: number;
  readonly due_at: number;
  readonly low_priority: boolean;
  readonly bytes: number;
  readonly chunks: number;
  readonly chunk_bytes: number;
  readonly cursor: number;
  /** Who is to be called at the end, and the address, sealed. */
  readonly receiver: string | null;
  readonly webhook: Uint8Array | null;
  readonly tags: TagsColumn;
}

/** A job as a submission makes it. */
export interface NewJob extends JobColumns {
  /** Whether an Idempotency-Key made it. */
  readonly keyed: boolean;
}

/** The job that a row describes. */
export function jobOf(row: JobColumns): Job {
  return {
    endpoint: row.endpoint,
    id: row.id,
    state: row.state,
    position: row.position,
    attempt: row.attempt,
    losses: row.losses,
    undelivered: row.undelivered,
    worker: row.worker ?? undefined,
    proved: row.proved,
    isSilent: row.state === "IN_PROGRESS" && row.lease_ends_at === null,
    denials: row.denials,
    queuedAt: row.queued_at,
    takenAt: row.taken_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    expiresAt: row.expires_at,
    executionTimeout: row.execution_timeout,
    retention: row.retention,
    dueAt: row.due_at,
    tags: row.tags,
  };
}

/** The `bytes` of a job: what was submitted, and what of it is sealed. */
export function submissionSize({ body, secret, webhook }: Enqueue): number {
  return sizeOf(body) + (secret === undefined ? 0 : sizeOf(secret)) + (webhook?.sealed.length ?? 0);
}

/** What one more waiting job adds to the counters. */
export function queued(row: Pick<JobColumns, "low_priority" | "bytes">) {
  return { queued: 1, queuedLowPriority: row.low_priority ? 1 : 0, queuedBytes: row.bytes };
}

/** What a job that waits no more takes from the counters. */
export function notQueued(row: Pick<JobColumns, "low_priority" | "bytes">) {
  return { queued: -1, queuedLowPriority: row.low_priority ? -1 : 0, queuedBytes: -row.bytes };
}

/** Who runs the job, or may still run it after its end. */
export function holderOf(row: Pick<JobColumns, "holder">): string | undefined {
  return row.holder === null || row.holder === "" ? undefined : row.holder;
}
