import type { JobRecord, JobResult } from "../../domain/job.ts";
import type { Payload } from "../../domain/payload.ts";
import { isUnfinished } from "../../domain/transitions.ts";
import type { AttemptTexts } from "../attempt-text.ts";
import { type JobColumns, jobOf } from "../job-columns.ts";
import type { Submission } from "../job-steps/job-transaction.ts";
import { copyIfAny } from "./payloads.ts";

/** A job with all that belongs to it. */
export interface MemoryJob extends JobColumns, Submission, JobResult {
  /** Its chunks by their numbers. New ones are added in place, because there can be many. */
  readonly stored: Payload[];
  /** What is kept of its attempts, the oldest first. */
  readonly attempts: readonly AttemptTexts[];
}

export function resultOf({ output, error, progress }: MemoryJob): JobResult {
  return { output: copyIfAny(output), error: copyIfAny(error), progress: copyIfAny(progress) };
}

export function recordOf(job: MemoryJob): JobRecord {
  return { ...jobOf(job), ...resultOf(job) };
}

/** Every payload that the job names. */
export function payloadsOf(job: MemoryJob): (Payload | undefined)[] {
  const { body, secret, output, error, progress, stored } = job;
  return [body, secret, output, error, progress, ...stored];
}

/** What the code promises of a job; the databases hold it as CHECKs. Throws where a step would break it. */
export function checkJob(job: MemoryJob): void {
  const { state, holder, worker, taken_at: takenAt, ended_at: endedAt } = job;
  const has = (payload: Payload | undefined): boolean => payload !== undefined;
  const isWaiting = state === "IN_QUEUE";
  const promises = {
    "the holder of a waiting job, and of no other, is empty": isWaiting === (holder === ""),
    "a waiting job has no worker": !isWaiting || (worker === null && takenAt === null),
    "a running job has a worker, which holds it":
      state !== "IN_PROGRESS" || (holder !== null && holder === worker && takenAt !== null),
    "a job has ended if its state says so": (endedAt === null) === isUnfinished(state),
    "only a completed job has an output": !has(job.output) || state === "COMPLETED",
    "only a failed job has an error": !has(job.error) || state === "FAILED" || state === "TIMED_OUT",
    "only a running job has progress": !has(job.progress) || state === "IN_PROGRESS",
    "there are as many attempts as came back, or more": job.attempt >= job.losses + job.undelivered,
    "the cursor is within the chunks": job.cursor >= 0 && job.cursor <= job.chunks,
    "sizes are not negative": job.bytes >= 0 && job.chunk_bytes >= 0,
  };
  for (const [promise, isKept] of Object.entries(promises)) {
    if (!isKept) throw new Error(`job ${job.id} (${state}) breaks a promise: ${promise}`);
  }
}
