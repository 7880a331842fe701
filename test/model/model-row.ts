import type { Job, JobRecord } from "../../src/domain/job.ts";
import { sizeOfAll } from "../../src/domain/payload.ts";
import type { StoredTimeline } from "../../src/store/store.ts";
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
    isSilent: job.state === "IN_PROGRESS" && job.leaseEndsAt === undefined,
    denials: job.denials,
    queuedAt: job.queuedAt,
    takenAt: job.takenAt,
    endedAt: job.endedAt,
    expiresAt: job.expiresAt,
    executionTimeout: job.executionTimeout,
    retention: job.retention,
    dueAt: job.dueAt,
    tags: job.tags,
  };
}

/** The job as the store reads it, with its result. */
export function recordOf(job: ModelJob): JobRecord {
  const { output, error, progress } = job;
  return { ...rowOf(job), output, error, progress };
}

/** All that the store tells of a job among those of its endpoint. */
export function timelineOf(job: ModelJob, jobs: readonly ModelJob[], looked: number): StoredTimeline {
  const ahead = jobs.filter(({ state, position }) => state === "IN_QUEUE" && position < job.position).length;
  return {
    job: recordOf(job),
    lowPriority: job.lowPriority,
    ttl: job.ttl,
    chunks: job.chunks.length,
    chunkBytes: sizeOfAll(job.chunks),
    hasWebhook: false,
    barred: job.barred,
    attempts: job.attempts,
    ahead: job.state === "IN_QUEUE" ? Math.min(ahead, looked) : 0,
  };
}
