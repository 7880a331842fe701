import type { DeliveryState } from "../domain/delivery.ts";
import type { Payload, StoredPayload } from "../domain/payload.ts";
import type { JobState } from "../domain/transitions.ts";
import type { AllocatedDevice } from "./allocations.ts";
import type { ConfigurationRecord } from "./configuration-record.ts";
import type { HistoryColumns } from "./history-row.ts";
import type { NewJob } from "./job-columns.ts";
import type { PastWorkerRow } from "./past-workers.ts";
import type { Counts } from "./store.ts";
import type { Tally } from "./tally.ts";

/**
 * All data of a store, row by row and unchanged, for a copy in another store. No server works on it until
 * `close`.
 */
export interface KeptData {
  tally(): Tally;
  endpoints(): Iterable<KeptEndpoint>;
  records(): Iterable<KeptRecord>;
  allocations(): Iterable<AllocatedDevice>;
  pastWorkers(): Iterable<PastWorkerRow>;
  /** Payloads that are stored outside the database. */
  payloads(): Iterable<KeptPayload>;
  /** Throws a sentence if the payload is missing or damaged. */
  readPayload(payload: StoredPayload): Promise<Uint8Array>;
  jobs(): Iterable<KeptJob>;
  chunks(): Iterable<KeptChunk>;
  attempts(): Iterable<KeptAttemptRow>;
  idempotencyKeys(): Iterable<KeptIdempotencyKey>;
  contacts(): Iterable<KeptContact>;
  deliveries(): Iterable<KeptDelivery>;
  statistics(): Iterable<KeptStatistics>;
  /** In the order in which they were written. */
  history(): Iterable<KeptHistory>;
  /** The last end of a job whose record was trimmed, ms since 1970; 0 for none. */
  historyTrimmedTo(): number;
  latestTime(): number;
  /** Marks the data as moved to `place`: no server may use it here any more. */
  leave(place: string): Promise<void>;
  close(): Promise<void>;
}

export interface KeptEndpoint {
  readonly endpoint: string;
  readonly counts: Counts;
}

export interface KeptRecord extends ConfigurationRecord {
  readonly change: number;
}

/** A job, and its payloads. */
export interface KeptJob extends NewJob {
  readonly payloads: {
    readonly body: Payload;
    readonly secret: Payload | undefined;
    readonly output: Payload | undefined;
    readonly error: Payload | undefined;
    readonly progress: Payload | undefined;
  };
}

export interface KeptChunk {
  readonly endpoint: string;
  readonly job: string;
  readonly number: number;
  readonly content: Payload;
}

/** What is stored of an attempt outside the row of its job. */
export interface KeptAttemptRow {
  readonly endpoint: string;
  readonly job: string;
  readonly number: number;
  readonly ended: string | null;
  readonly cold_start: string | null;
  readonly output: string | null;
}

export interface KeptIdempotencyKey {
  readonly endpoint: string;
  readonly key: string;
  /** The id of the job that the key created. */
  readonly id: string;
  /** The last state of a removed job; null while the job is there. */
  readonly state: JobState | null;
  readonly digest: Uint8Array;
  readonly until: number;
}

export interface KeptContact {
  readonly endpoint: string;
  readonly worker: string;
  readonly last_contact: number;
  readonly pings: boolean;
  readonly hung_up: boolean | null;
  readonly stray_job: string | null;
  readonly stray_since: number | null;
}

/** A slot of statistics of one server, as `domain/figures.ts` writes it. */
export interface KeptStatistics {
  readonly endpoint: string;
  readonly width: number;
  readonly at: number;
  readonly server: string;
  readonly figures: string;
}

/** A record of a finished job, and the input if it is kept. */
export interface KeptHistory extends HistoryColumns {
  readonly size: number;
  readonly payloads: { readonly input: Payload | undefined };
}

export interface KeptPayload extends StoredPayload {
  /** The number of rows that use it. */
  readonly names: number;
}

/** The columns of a delivery that have the same name and meaning in every store, and its payloads. */
export interface KeptDelivery {
  readonly endpoint: string;
  readonly id: string;
  readonly receiver: string;
  readonly webhook: Uint8Array;
  readonly state: DeliveryState;
  readonly due_at: number;
  readonly started: number;
  readonly attempts: number;
  readonly tried_at: number | null;
  readonly status: number | null;
  readonly reason: string | null;
  readonly job: string;
  readonly job_state: JobState;
  readonly queued_at: number;
  readonly taken_at: number | null;
  readonly ended_at: number;
  readonly worker: string | null;
  readonly losses: number;
  readonly size: number;
  readonly payloads: { readonly output: Payload | undefined; readonly error: Payload | undefined };
}
