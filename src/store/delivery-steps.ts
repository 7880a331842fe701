import type { ClaimedDelivery, DeliveryAttempt, DeliveryState } from "../domain/delivery.ts";

/**
 * Claims due deliveries, the longest overdue first, for `owner` until `until`, and counts one more attempt of
 * each. Not those that another owner has. At most `limit` of them, and no more once their records have
 * `byteLimit` bytes together. Of each receiver at most `each`, or what `room` says.
 */
export interface ClaimDeliveries {
  readonly step: "claimDeliveries";
  readonly owner: string;
  readonly until: number;
  readonly limit: number;
  readonly byteLimit: number;
  readonly each: number;
  readonly room: readonly { readonly receiver: string; readonly count: number }[];
}

/**
 * Records the outcomes of attempts. Ignores an attempt if another owner has the claim, or if it was claimed
 * again.
 */
export interface RecordDeliveries {
  readonly step: "recordDeliveries";
  readonly owner: string;
  readonly outcomes: readonly DeliveryOutcome[];
}

export interface DeliveryOutcome {
  readonly endpoint: string;
  readonly id: string;
  /** The number of the claim. */
  readonly started: number;
  readonly state: DeliveryState;
  readonly dueAt: number;
  readonly attempts: number;
  readonly last: DeliveryAttempt;
}

/** Makes all deliveries that the owner has claimed due now: its attempts were interrupted. */
export interface ReleaseDeliveries {
  readonly step: "releaseDeliveries";
  readonly owner: string;
}

/** Makes the deliveries that nobody has claimed due now. A delivery that had ended starts again. */
export interface Redeliver {
  readonly step: "redeliver";
  readonly endpoint: string;
  readonly ids: readonly string[];
}

/** Removes at most `limit` deliveries whose retention is over, with their records. */
export interface ForgetDeliveries {
  readonly step: "forgetDeliveries";
  readonly limit: number;
}

export type DeliveryStep =
  ClaimDeliveries | RecordDeliveries | ReleaseDeliveries | Redeliver | ForgetDeliveries;

export interface DeliveryStepAnswers {
  claimDeliveries: readonly ClaimedDelivery[];
  /** How many deliveries the step recorded, released, made due or removed. */
  recordDeliveries: { readonly count: number };
  releaseDeliveries: { readonly count: number };
  redeliver: { readonly count: number };
  forgetDeliveries: { readonly count: number };
}
