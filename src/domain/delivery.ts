import type { Job, JobResult } from "./job.ts";

/**
 * PENDING until an attempt was acknowledged, then DELIVERED; FAILED when no attempt is left. By hand either
 * becomes PENDING again.
 */
export const DELIVERY_STATES = ["PENDING", "DELIVERED", "FAILED"] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The webhook of one end of a job. All times are milliseconds since 1970. */
export interface Delivery {
  readonly endpoint: string;
  /** The `webhook-id` of each of its attempts; the characters of ids are in the order of their time. */
  readonly id: string;
  readonly job: string;
  /** Host and port of the address. */
  readonly receiver: string;
  readonly state: DeliveryState;
  /** How the job ended, and when. */
  readonly jobState: Job["state"];
  readonly endedAt: number;
  /** When the next attempt is due, or, while one is under way, is made by another; else when the row goes. */
  readonly dueAt: number;
  /** Attempts that have come to their end, since it was last asked for. */
  readonly attempts: number;
  /** Attempts begun, those included that the end of a server cut. */
  readonly started: number;
  /** What came of the last attempt; undefined before. */
  readonly last: DeliveryAttempt | undefined;
}

/** The end of an attempt: the status of an answer, or why there was none. */
export interface DeliveryAttempt {
  readonly at: number;
  readonly status: number | undefined;
  /** A sentence. */
  readonly reason: string | undefined;
}

/** What the record of a job is made of. */
export type ShownJob = Pick<Job, "id" | "state" | "queuedAt" | "takenAt" | "endedAt" | "worker" | "losses"> &
  JobResult;

/** A delivery with all that an attempt needs. `dueAt` is when it was due. */
export interface ClaimedDelivery extends Delivery {
  /** The address, sealed. */
  readonly webhook: Uint8Array;
  /** As the job was when it ended. */
  readonly record: ShownJob;
}

/**
 * Names the webhook of one end of a job, the same at any attempt: `position`, which a retry gives anew, tells
 * the ends of a job apart.
 */
export function deliveryId(endedAt: number, position: number, job: string): string {
  return `${deliveryFloor(endedAt)}_${position.toString(RADIX)}_${job}`;
}

/** What all ids begin with that are of this millisecond; every earlier id is below, every later one above. */
export function deliveryFloor(endedAt: number): string {
  return `${PREFIX}${endedAt.toString(RADIX).padStart(TIME_DIGITS, "0")}`;
}

const PREFIX = "msg_";
const RADIX = 36;
/** Enough for 3,000 years. */
const TIME_DIGITS = 9;
