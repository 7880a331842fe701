import type { Job, JobResult } from "./job.ts";

/**
 * PENDING until an attempt is acknowledged, then DELIVERED; FAILED if no attempt is left. A client can make
 * either PENDING again.
 */
export const DELIVERY_STATES = ["PENDING", "DELIVERED", "FAILED"] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The webhook for one end of a job. All times are milliseconds since 1970. */
export interface Delivery {
  readonly endpoint: string;
  /** The `webhook-id` of all its attempts. Ids sort by their time. */
  readonly id: string;
  readonly job: string;
  /** Host and port of the address. */
  readonly receiver: string;
  readonly state: DeliveryState;
  /** The state in which the job ended, and when. */
  readonly jobState: Job["state"];
  readonly endedAt: number;
  /**
   * When the next attempt is due. During an attempt: when another server may repeat it. After the end: when
   * the row is removed.
   */
  readonly dueAt: number;
  /** Attempts that have ended, since the delivery was last requested. */
  readonly attempts: number;
  /** Attempts that were begun, including those that a stopping server interrupted. */
  readonly started: number;
  /** The end of the last attempt; undefined before there is one. */
  readonly last: DeliveryAttempt | undefined;
}

/** The end of an attempt: the status of the answer, or why there was none. */
export interface DeliveryAttempt {
  readonly at: number;
  readonly status: number | undefined;
  /** A sentence. */
  readonly reason: string | undefined;
}

/** The parts of the record of a job. */
export type ShownJob = Pick<Job, "id" | "state" | "queuedAt" | "takenAt" | "endedAt" | "worker" | "losses"> &
  JobResult;

/** A delivery with everything that an attempt needs. `dueAt` is when it was due. */
export interface ClaimedDelivery extends Delivery {
  /** The address, encrypted. */
  readonly webhook: Uint8Array;
  /** The job as it was when it ended. */
  readonly record: ShownJob;
}

/**
 * The id of the webhook for one end of a job, the same for all attempts. A retry gives the job a new
 * `position`, which distinguishes the ends of a job.
 */
export function deliveryId(endedAt: number, position: number, job: string): string {
  return `${deliveryFloor(endedAt)}_${position.toString(RADIX)}_${job}`;
}

/**
 * The beginning of all ids of this millisecond. Ids of earlier times are smaller, those of later times
 * larger.
 */
export function deliveryFloor(endedAt: number): string {
  return `${PREFIX}${endedAt.toString(RADIX).padStart(TIME_DIGITS, "0")}`;
}

const PREFIX = "msg_";
const RADIX = 36;
/** Enough for 3,000 years. */
const TIME_DIGITS = 9;
