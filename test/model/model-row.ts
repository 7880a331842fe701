import type { Job, JobRecord } from "../../src/domain/job.ts";
import type { ModelJob } from "./model-job.ts";

/** The job as the store answers it where the answer is a row. */
export function rowOf(job: ModelJob): Job {
  return {
    endpoint: job.endpoint,
    id: job.id,
    state: job.state,
    position: job.position,
    attempt: job.attempt,
    losses: job.losses,
    undelivered: job.undelivered,
    worker: job.worker,
    proved: job.proved,
    denials: job.denials,
    queuedAt: job.queuedAt,
    takenAt: job.takenAt,
    endedAt: job.endedAt,
    expiresAt: job.expiresAt,
    executionTimeout: job.executionTimeout,
    retention: job.retention,
    dueAt: job.dueAt,
  };
}

/** The job as the store reads it, with its result. */
export function recordOf(job: ModelJob): JobRecord {
  const { output, error, progress } = job;
  return { ...rowOf(job), output, error, progress };
}
