import type { Job } from "./job.ts";

/** The default times of the jobs of an endpoint, ms. */
export interface JobTimes {
  /** How long an attempt may run. */
  readonly executionTimeoutMs: number;
  /** How long a job may live, from its submission until the end of its run. */
  readonly ttlMs: number;
  /** How long the record of a run job stays after its end. */
  readonly runRetentionMs: number;
  /** How long the record of a runsync job stays after its end; its `wait` can lengthen it. */
  readonly runsyncRetentionMs: number;
}

/**
 * A job has one `dueAt`, the earliest of its deadlines. It changes only with the state of the job, and one
 * background job checks it (design, invariant 6). A waiting job is due when its ttl ends, a finished one when
 * its retention does.
 */
export const dueAt = {
  /** Without a delivery lease: the worker is silent (decision 0033). */
  taken(
    now: number,
    job: Pick<Job, "executionTimeout" | "expiresAt">,
    deliveryLease: number | undefined,
  ): number {
    const lease = deliveryLease ?? Number.POSITIVE_INFINITY;
    return Math.min(now + lease, now + job.executionTimeout, job.expiresAt);
  },

  proved(takenAt: number, job: Pick<Job, "executionTimeout" | "expiresAt">): number {
    return Math.min(takenAt + job.executionTimeout, job.expiresAt);
  },
};
