import { z } from "zod";
import type { WorkerCounts } from "../../domain/fleet-report.ts";
import { type Answered, count, type Shown } from "./members.ts";
import { presentWorkerCounts } from "./worker.ts";

/** The queue of an endpoint as a whole (spec 2.7). */
export const PURGED = {
  schema: z.strictObject({
    removed: count.meta({ description: "How many waiting jobs this call has removed." }),
    status: z.literal("completed"),
  }),
  example: { removed: 3, status: "completed" },
};

export type PurgedAnswer = Answered<typeof PURGED.schema>;

export const HEALTH = {
  schema: z
    .strictObject({
      jobs: z.strictObject({
        completed: count.meta({ description: "Since the endpoint was made." }),
        failed: count.meta({ description: "FAILED and TIMED_OUT, since the endpoint was made." }),
        inProgress: count,
        inQueue: count,
        retried: count.meta({ description: "Returns to the queue, by retry and by lost worker." }),
      }),
      workers: z.strictObject({
        idle: count.meta({ description: "Live workers without a job." }),
        initializing: count.meta({ description: "Started, and not heard of yet." }),
        ready: count.meta({ description: "Idle, and given the next job." }),
        running: count.meta({ description: "Live workers that hold a job." }),
        throttled: count,
        unhealthy: count,
      }),
    })
    .meta({ id: "Health", description: "Counts of an endpoint's jobs and workers." }),
  example: {
    jobs: { completed: 41, failed: 1, inProgress: 2, inQueue: 7, retried: 1 },
    workers: { idle: 1, initializing: 0, ready: 1, running: 2, throttled: 0, unhealthy: 0 },
  },
};

export type HealthAnswer = Answered<typeof HEALTH.schema>;

/** The counts of an endpoint's jobs and workers. */
interface Counted {
  readonly counts: Readonly<Record<"completed" | "failed" | "running" | "queued" | "retried", number>>;
  readonly workers: WorkerCounts;
}

export function presentHealth({ counts, workers }: Counted): Shown<HealthAnswer> {
  return {
    jobs: {
      completed: counts.completed,
      failed: counts.failed,
      inProgress: counts.running,
      inQueue: counts.queued,
      retried: counts.retried,
    },
    workers: presentWorkerCounts(workers),
  };
}
