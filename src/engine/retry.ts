import { ForebayError } from "../domain/errors.ts";
import type { Job } from "../domain/job.ts";
import type { Retry } from "../store/steps.ts";
import { errorOf } from "./timeline.ts";
import type { WithJobIds } from "./job-ids.ts";
import { queueCapOf, queueFull, type QueueLimits } from "./queue-cap.ts";
import { found } from "./status.ts";
import type { UnansweredReports } from "./unanswered-reports.ts";
import type { StoreAccess, WithDurations } from "./verb-needs.ts";

/** What a retry needs. */
export interface Retrying extends StoreAccess, WithDurations, QueueLimits, WithJobIds {
  readonly unansweredReports: UnansweredReports;
}

/**
 * Puts a FAILED or TIMED_OUT job back into the queue: same id and body, result removed, a new ttl of the same
 * length. Throws NOT_RETRYABLE for other states, JOB_NOT_FOUND when the result has expired, and QUEUE_FULL as
 * for a new job; this one stays as it is then.
 */
export async function retry(engine: Retrying, endpoint: string, id: string): Promise<Job> {
  const error = await lastError(engine, endpoint, id);
  const now = engine.clock.now();
  const position = engine.jobIds.nextPosition(now);
  const barUntil = now + engine.durations.rehandDelay;
  const cap = queueCapOf(engine, endpoint);
  const reporter = engine.unansweredReports.reporterOf(endpoint, id);
  // Only the store knows how large the job is: a retry is accepted while there is any room.
  const over = engine.queuedBytes.over(endpoint, 1);
  const step = { step: "retry", endpoint, id, position, reporter, barUntil, cap, over, error } as const;
  const [answer] = await engine.store.apply([step], now);
  const job = found(answer.job, id);
  if (answer.over !== undefined) throw queueFull(engine, endpoint, cap, answer.over);
  if (!answer.accepted) {
    const sentence = `Job ${id} is ${job.state}. Only a job that is FAILED or TIMED_OUT can be retried.`;
    throw new ForebayError("NOT_RETRYABLE", sentence);
  }
  return job;
}

/** The next attempt removes it; what the timeline shows of it is kept. */
async function lastError(engine: StoreAccess, endpoint: string, id: string): Promise<Retry["error"]> {
  const job = await engine.store.job(endpoint, id);
  if (job?.error === undefined) return undefined;
  try {
    return { attempt: job.attempt, text: await errorOf(engine, job.error) };
  } catch (error) {
    // Another call has retried it, or it has expired: the step will find out.
    if (error instanceof ForebayError && error.code === "JOB_NOT_FOUND") return undefined;
    throw error;
  }
}
