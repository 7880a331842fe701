import type { JobRecord, JobResult } from "../../domain/job.ts";
import type { Payload } from "../../domain/payload.ts";
import type { JobState } from "../../domain/transitions.ts";
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

/** The Idempotency-Key of a submission, and the job that it created. */
export interface KeyRow {
  readonly endpoint: string;
  readonly key: string;
  /** Of the job. */
  readonly id: string;
  readonly digest: Uint8Array;
  readonly until: number;
  /** The last state of the job, once it is gone. */
  readonly state: JobState | undefined;
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
