import type { Payload } from "../domain/payload.ts";
import type { JobPolicy } from "../domain/policy.ts";
import type { OverQueue, QueueCap } from "../domain/queue-cap.ts";
import type { JobState } from "../domain/transitions.ts";

/**
 * The job is there, IN_QUEUE, if its endpoint is. If `idempotency` names a key that has made a job already,
 * nothing happens, and the answer tells of that submission. Otherwise nothing happens if the job would be
 * over `cap`, together with what waits as of this step.
 */
export interface Enqueue {
  readonly step: "enqueue";
  readonly endpoint: string;
  readonly id: string;
  readonly position: number;
  readonly body: Payload;
  readonly secret: Payload | undefined;
  readonly policy: JobPolicy;
  /** How long the record stays after the end at least, whatever the step says that ends it, ms. */
  readonly retention: number;
  readonly webhook?: Webhook | undefined;
  readonly idempotency?: Idempotency | undefined;
  readonly cap?: QueueCap | undefined;
  /** What the job would be over, as the engine has found: nothing happens unless the key has made a job. */
  readonly over?: OverQueue | undefined;
}

/** What is to be called when the job ends: the step that ends it writes a delivery, with its record. */
export interface Webhook {
  /** The address, sealed. */
  readonly sealed: Uint8Array;
  /** Its host and port. */
  readonly receiver: string;
}

/** Names a submission, so that it can be sent again and makes one job. */
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
