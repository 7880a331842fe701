import type { EndedAttempt, KeptAttempt } from "./attempt.ts";
import type { Delivery } from "./delivery.ts";
import type { JobRecord } from "./job.ts";
import type { TraceContext } from "./trace-context.ts";
import type { WaitReason } from "./wait-reason.ts";
import type { WorkerPlace } from "./worker.ts";

/** What happened to a job, and why it waits (design, row 23). */
export interface Timeline {
  readonly job: JobRecord;
  readonly lowPriority: boolean;
  readonly submittedAt: number;
  /** From a submit or retry on, ms. */
  readonly ttl: number;
  /** The one that it was submitted in. */
  readonly trace: TraceContext | undefined;
  /** Its place among those that wait: 1 is the next one. Undefined when it does not wait. */
  readonly position: number | undefined;
  readonly reason: WaitReason | undefined;
  /** The oldest first, at most KEPT_ATTEMPTS. */
  readonly attempts: readonly TimelineAttempt[];
  /** The chunks of the newest attempt. */
  readonly chunks: number;
  readonly chunkBytes: number;
  /** The webhooks of its ends, the oldest first. */
  readonly deliveries: readonly Delivery[];
}

export interface TimelineAttempt extends UnplacedAttempt {
  /** Undefined if Forebay did not start its worker, or no longer knows where. */
  readonly place: WorkerPlace | undefined;
  /**
   * The number of GPUs of its worker, times the seconds of the attempt, until now while it runs. Undefined
   * without GPUs.
   */
  readonly gpuSeconds: number | undefined;
}

/** What the job and its attempts say. */
export interface UnplacedAttempt
  extends Pick<KeptAttempt, "attempt" | "coldStart" | "output">, Omit<EndedAttempt, "endedAt"> {
  /** Undefined while it runs. */
  readonly endedAt: number | undefined;
}
