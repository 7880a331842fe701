import type { ClaimedDelivery, DeliveryAttempt, DeliveryState } from "../domain/delivery.ts";

/**
 * Deliveries that are due, the longest overdue first, are `owner`'s until `until`, and have one attempt begun
 * more; not those that another owner has. At most `limit`, and none more once their records have `byteLimit`
 * bytes together; of each receiver at most `each`, or what `room` says.
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

/** What came of attempts; of one whose claim has gone to another owner, or been made anew, nothing. */
export interface RecordDeliveries {
  readonly step: "recordDeliveries";
  readonly owner: string;
  readonly outcomes: readonly DeliveryOutcome[];
}

export interface DeliveryOutcome {
  readonly endpoint: string;
  readonly id: string;
  /** Which claim it is of. */
  readonly started: number;
  readonly state: DeliveryState;
  readonly dueAt: number;
  readonly attempts: number;
  readonly last: DeliveryAttempt;
}

/** What the owner has claimed is due now: the attempts were cut. */
export interface ReleaseDeliveries {
  readonly step: "releaseDeliveries";
  readonly owner: string;
}

/** Those of the deliveries that nobody has claimed are due now; one that had ended begins anew. */
export interface Redeliver {
  readonly step: "redeliver";
  readonly endpoint: string;
  readonly ids: readonly string[];
}

/** At most `limit` deliveries that have ended, and whose time is over, are removed with their records. */
export interface ForgetDeliveries {
  readonly step: "forgetDeliveries";
  readonly limit: number;
}

export type DeliveryStep =
  ClaimDeliveries | RecordDeliveries | ReleaseDeliveries | Redeliver | ForgetDeliveries;

export interface DeliveryStepAnswers {
  claimDeliveries: readonly ClaimedDelivery[];
  /** How many were recorded, released, made due, removed. */
  recordDeliveries: { readonly count: number };
  releaseDeliveries: { readonly count: number };
  redeliver: { readonly count: number };
  forgetDeliveries: { readonly count: number };
}
