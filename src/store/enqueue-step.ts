import type { Payload } from "../domain/payload.ts";
import type { JobPolicy } from "../domain/policy.ts";
import type { OverQueue, QueueCap } from "../domain/queue-cap.ts";
import type { JobState } from "../domain/transitions.ts";

/**
 * Creates the job, IN_QUEUE, if its endpoint exists. If `idempotency` names a key that has created a job
 * before, nothing happens, and the answer describes that submission. Nothing happens either if the jobs that
 * wait as of this step would be over `cap` with this one.
 */
export interface Enqueue {
  readonly step: "enqueue";
  readonly endpoint: string;
  readonly id: string;
  readonly position: number;
  readonly body: Payload;
  readonly secret: Payload | undefined;
  readonly policy: JobPolicy;
  /** How long the record stays after the end at least, even if the step that ends it says less, ms. */
  readonly retention: number;
  readonly webhook?: Webhook | undefined;
  readonly idempotency?: Idempotency | undefined;
  readonly cap?: QueueCap | undefined;
  /** The limit that the job would be over, by the engine's count. Then only a known key is answered. */
  readonly over?: OverQueue | undefined;
}

/** The webhook of a job. The step that ends the job writes a delivery, with its record. */
export interface Webhook {
  /** The address, sealed. */
  readonly sealed: Uint8Array;
  /** Its host and port. */
  readonly receiver: string;
}

/** Identifies a submission, so that it creates one job even if it is sent again. */
export interface Idempotency {
  readonly key: string;
  /** SHA-256 of what was submitted. */
  readonly digest: Uint8Array;
  /** Until when the key is known, also without its job. */
  readonly until: number;
}

export interface EarlierSubmission {
  /** Id of the job that it made. */
  readonly id: string;
  readonly digest: Uint8Array;
  /** The last one, when the job is gone. */
  readonly state: JobState;
}

/** What an Idempotency-Key answers once its job is gone: a job that goes while it waits was purged. */
export function lastState(state: JobState): JobState {
  return state === "IN_QUEUE" ? "CANCELLED" : state;
}
