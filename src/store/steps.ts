import type { AttemptEnd } from "../domain/attempt.ts";
import type { Job, JobRecord, TakenJob } from "../domain/job.ts";
import type { Payload } from "../domain/payload.ts";
import type { OverQueue, QueueCap } from "../domain/queue-cap.ts";
import type { EndEvent } from "../domain/transitions.ts";
import type { DeliveryStep, DeliveryStepAnswers } from "./delivery-steps.ts";
import type { EarlierSubmission, Enqueue } from "./enqueue-step.ts";
import type { HistoryStep, HistoryStepAnswers, KeptInputs } from "./history-steps.ts";
import type { MeasurementStep, MeasurementStepAnswers } from "./measurement-steps.ts";
import type { RecordStep, RecordStepAnswers } from "./record-steps.ts";
import type { Reseal, ResealAnswers } from "./sealed-values.ts";

/**
 * Hands up to `count` (at least 1) of the oldest waiting jobs to the worker, under a delivery lease if it
 * pings. Skips jobs whose ttl has expired.
 */
export interface Take {
  readonly step: "take";
  readonly endpoint: string;
  readonly worker: string;
  readonly count: number;
  /** Undefined: the worker is silent, and its jobs have no lease. */
  readonly deliveryLease: number | undefined;
}

/**
 * Ends the job by `event` if its state permits that, if `worker`, where given, holds it, and if `attempt`,
 * where given, is the newest. If `worker` does not hold it and the result `mayBeLate`, the job can end by
 * `completeLate`. A worker that reports a job that has ended has stopped it, unless the event leaves it
 * running.
 */
export interface Finish {
  readonly step: "finish";
  readonly event: EndEvent;
  readonly endpoint: string;
  readonly id: string;
  readonly worker: string | undefined;
  readonly attempt: number | undefined;
  readonly output: Payload | undefined;
  readonly error: Payload | undefined;
  /** How long the record stays, ms, unless the job itself has longer. */
  readonly retention: number;
  /** How the attempt ended, where it brought no result: kept as by a step `giveBack`. */
  readonly end?: AttemptEnd | undefined;
  /** JSON that was sent with the error; kept for the timeline. */
  readonly beside?: string | undefined;
  /** The result can count as that of an attempt of the worker that was given back (decision 0033). */
  readonly mayBeLate?: boolean | undefined;
  /**
   * Only if a deadline of the job has passed. The job may have changed since it was read, and its attempt
   * does not show that: it stays the same when the job is given back or retried.
   */
  readonly onlyDue?: boolean | undefined;
}

/**
 * Stores chunks of the live attempt, numbered in order. If that attempt would then have more bytes of chunks
 * than `limit` allows, none of these is stored, and the job ends instead.
 */
export interface Append {
  readonly step: "append";
  readonly endpoint: string;
  readonly id: string;
  readonly worker: string;
  readonly attempt: number | undefined;
  readonly chunks: readonly Payload[];
  readonly limit?: ChunkLimit | undefined;
}

/** How much one attempt may put out. */
export interface ChunkLimit {
  /** Of all chunks of the attempt together. */
  readonly bytes: number;
  /** What happens to the job, in the same step, instead of going over it. */
  readonly otherwise: Finish;
}

/** Replaces the progress value of the live attempt. */
export interface Progress {
  readonly step: "progress";
  readonly endpoint: string;
  readonly id: string;
  readonly worker: string;
  readonly attempt: number | undefined;
  readonly value: Payload;
}

/** What a worker's call shows of the jobs it has. */
export type Shown =
  /** Nothing either way. */
  | { readonly kind: "nothing" }
  /** It has a job: the one handed to it, if that is the only one and under a lease. */
  | { readonly kind: "all" }
  /** No job at all. */
  | { readonly kind: "none" }
  /** Exactly these. */
  | { readonly kind: "these"; readonly ids: readonly string[] };

/**
 * The worker called: it was last seen now. A job that it shows is proved. One that it should show by now and
 * does not is denied once more, and answered. Ended jobs that it no longer shows are stopped.
 */
export interface Seen {
  readonly step: "seen";
  readonly endpoint: string;
  readonly worker: string;
  readonly call: SeenCall;
  /** It pings, or speaks by a token of its own; this stays so. */
  readonly pings: boolean;
  readonly shown: Shown;
  /**
   * Only jobs handed out at or before this time can be denied. A worker that says that it has none denies all
   * jobs that it got without a lease, whenever that was.
   */
  readonly deniableBefore: number;
}

export type SeenCall =
  /** Its heartbeat, which can outlive the worker: after a hang-up it renews nothing. */
  | "ping"
  /** Any other call: the worker lives, and an earlier hang-up is forgotten. */
  | "call"
  /** It has closed the last call that it had open. */
  | "hangUp";

/**
 * Ends the attempt without a result: the job is IN_QUEUE at its old position. The same worker does not get it
 * before `barUntil`. The attempt and its `end` are kept for the timeline.
 */
export interface GiveBack {
  readonly step: "giveBack";
  readonly endpoint: string;
  readonly id: string;
  readonly attempt: number;
  readonly losses: number;
  readonly undelivered: number;
  readonly barUntil: number;
  readonly end: AttemptEnd;
}

export interface Cancel {
  readonly step: "cancel";
  readonly endpoint: string;
  readonly id: string;
  /** How long the record stays, ms, unless the job itself has longer. */
  readonly retention: number;
}

/**
 * Puts the job back IN_QUEUE with the same id and body. Result, chunks and counts of losses are removed, and
 * the ttl starts again. Its place is `position`, but always behind its last one: the clock of another server
 * can be behind, and the place identifies the run of a job. A worker that may still run the last attempt does
 * not get the job before `barUntil`. If there is no such worker, the `reporter` does not. Nothing happens if
 * the job would be over `cap`, as for a new one. The last attempt is kept for the timeline.
 */
export interface Retry {
  readonly step: "retry";
  readonly endpoint: string;
  readonly id: string;
  readonly position: number;
  /** Who may send its report of an earlier attempt again. */
  readonly reporter?: string | undefined;
  readonly barUntil: number;
  readonly cap?: QueueCap | undefined;
  /** As in `Enqueue`. */
  readonly over?: OverQueue | undefined;
  /** What the last attempt says as its error, if it is this one. */
  readonly error?: { readonly attempt: number; readonly text: string } | undefined;
}

/**
 * Ends the ttl of an unfinished job, or the retention of a finished one, at `at`. A retention is never made
 * longer.
 */
export interface SetTtl {
  readonly step: "setTtl";
  readonly endpoint: string;
  readonly id: string;
  readonly at: number;
}

/**
 * Reads the next chunks and the job in one snapshot: from chunk number `from` on, or else the chunks that no
 * such read has returned before; these count as read from then on. At most `chunkLimit`, and no more once
 * they have `byteLimit` bytes together.
 */
export interface Drain {
  readonly step: "drain";
  readonly endpoint: string;
  readonly id: string;
  readonly from: number | undefined;
  readonly chunkLimit: number;
  readonly byteLimit: number;
  /** An earlier read got no answer: the chunks from this one on count as unread again. */
  readonly unreadFrom?: number | undefined;
}

/** Removes at most `limit` waiting jobs up to `position`. */
export interface Purge {
  readonly step: "purge";
  readonly endpoint: string;
  readonly position: number;
  readonly limit: number;
}

/**
 * Removes at most `limit` finished jobs whose retention is over, with all that belongs to them. Also removes,
 * at most `limit` of each, expired idempotency keys, workers without a job that were last seen before
 * `contactsBefore`, and past workers whose records were removed before `pastWorkersBefore`. A job with very
 * many chunks can take several steps. With `history`, a job that has no record yet gets one before it goes.
 */
export interface Forget {
  readonly step: "forget";
  readonly limit: number;
  readonly contactsBefore: number;
  readonly pastWorkersBefore: number;
  readonly history?: KeptInputs | undefined;
}

export type Step =
  | Enqueue
  | Take
  | Finish
  | Append
  | Progress
  | Seen
  | GiveBack
  | Cancel
  | Retry
  | SetTtl
  | Drain
  | Purge
  | Forget
  | RecordStep
  | Reseal
  | DeliveryStep
  | HistoryStep
  | MeasurementStep;

/** The answer to each step. */
export interface StepAnswers
  extends DeliveryStepAnswers, HistoryStepAnswers, RecordStepAnswers, ResealAnswers, MeasurementStepAnswers {
  enqueue: {
    readonly accepted: boolean;
    readonly earlier?: EarlierSubmission | undefined;
    /** Which limit the job would be over. */
    readonly over?: OverQueue | undefined;
  };
  take: readonly TakenJob[];
  finish: { readonly accepted: boolean };
  append: {
    readonly accepted: boolean;
    /** The job has ended because of the limit. */
    readonly isOver?: boolean | undefined;
  };
  progress: { readonly accepted: boolean };
  seen: { readonly denied: readonly Job[] };
  giveBack: { readonly accepted: boolean };
  cancel: Job | undefined;
  retry: {
    readonly job: Job | undefined;
    readonly accepted: boolean;
    readonly over?: OverQueue | undefined;
  };
  setTtl: { readonly accepted: boolean };
  drain: DrainAnswer | undefined;
  purge: { readonly ids: readonly string[] };
  forget: {
    /** Jobs that were removed. */
    readonly count: number;
    /** More was due than this step removed. */
    readonly hasMore?: true | undefined;
  };
}

export interface DrainAnswer {
  readonly job: JobRecord;
  readonly chunks: readonly Payload[];
  /** Number of the chunk behind the last one answered. */
  readonly next: number;
  /** Chunks that wait behind those answered. */
  readonly remaining: number;
}

/** The answers to a list of steps, in its order. */
export type Answers<Steps extends readonly Step[]> = {
  readonly [Index in keyof Steps]: StepAnswers[Steps[Index]["step"]];
};
