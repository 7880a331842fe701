import type { JobState } from "../domain/transitions.ts";

/** The columns of a job that have the same name and meaning in every store. */
export interface JobColumns {
  readonly endpoint: string;
  readonly id: string;
  readonly state: JobState;
  readonly position: number;
  readonly holder: string | null;
  readonly worker: string | null;
  readonly attempt: number;
  readonly losses: number;
  readonly undelivered: number;
  readonly proved: boolean;
  readonly denials: number;
  readonly barred: string | null;
  readonly barred_until: number | null;
  readonly queued_at: number;
  readonly taken_at: number | null;
  readonly lease_ends_at: number | null;
  readonly ended_at: number | null;
  readonly ttl: number;
  readonly expires_at: number;
  readonly execution_timeout: number;
  readonly retention: number;
  readonly due_at: number;
  readonly low_priority: boolean;
  readonly bytes: number;
  /** Whether an Idempotency-Key that is still known made it. */
  readonly keyed: boolean;
  readonly chunks: number;
  readonly chunk_bytes: number;
  readonly cursor: number;
  /** Who is to be called at the end, and the address, sealed. */
  readonly receiver: string | null;
  readonly webhook: Uint8Array | null;
}
