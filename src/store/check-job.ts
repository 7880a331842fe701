import { isUnfinished } from "../domain/transitions.ts";
import type { JobColumns } from "./job-columns.ts";

/** A job with its results; null or undefined: it has none. */
export interface CheckedJob extends JobColumns {
  readonly output?: unknown;
  readonly error?: unknown;
  readonly progress?: unknown;
}

/**
 * Checks what the code promises of a job before it is written (invariant 2). Throws if a step would break a
 * promise. PostgreSQL has the same promises as CHECKs.
 */
export function checkJob(job: CheckedJob): void {
  const promise = brokenPromise(job);
  if (promise !== undefined) throw new Error(`job ${job.id} (${job.state}) breaks a promise: ${promise}`);
}

/** A promise that the row of a job does not keep; undefined if it keeps all. */
export function brokenPromise(job: CheckedJob): string | undefined {
  const { state, holder, worker, taken_at: takenAt, ended_at: endedAt } = job;
  const isWaiting = state === "IN_QUEUE";
  if (isWaiting !== (holder === "")) return "the holder of a waiting job, and of no other, is empty";
  if (isWaiting && (worker !== null || takenAt !== null)) return "a waiting job has no worker";
  if (state === "IN_PROGRESS" && (holder === null || holder !== worker || takenAt === null))
    return "a running job has a worker, which holds it";
  if ((endedAt === null) !== isUnfinished(state)) return "a job has ended if its state says so";
  if (has(job.output) && state !== "COMPLETED") return "only a completed job has an output";
  if (has(job.error) && state !== "FAILED" && state !== "TIMED_OUT") return "only a failed job has an error";
  if (has(job.progress) && state !== "IN_PROGRESS") return "only a running job has progress";
  if (job.attempt < job.losses + job.undelivered) return "there are as many attempts as came back, or more";
  if (job.cursor < 0 || job.cursor > job.chunks) return "the cursor is within the chunks";
  if (job.bytes < 0 || job.chunk_bytes < 0) return "sizes are not negative";
  if ((job.receiver === null) !== (job.webhook === null)) return "a webhook has a receiver";
  return undefined;
}

function has(payload: unknown): boolean {
  return payload !== null && payload !== undefined;
}
