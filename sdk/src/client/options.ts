import type { JobStatus, UnfinishedJob } from "./job.ts";

export interface CallOptions {
  /** Ends the call, which rejects with its reason; what the server has begun goes on. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call is tried again while the server is busy or away, ms; instead of the client's own. */
  readonly patience?: number | undefined;
}

export interface SubmitOptions extends CallOptions {
  /** The address that is called at the end of the job. */
  readonly webhook?: string;
  readonly policy?: {
    /** How long an attempt may run, ms; above 5000. */
    readonly executionTimeout?: number;
    /** How long the job may take over queue and run, ms; from 10000. */
    readonly ttl?: number;
    /** Does not make workers start. */
    readonly lowPriority?: boolean;
  };
  /** Storage for the worker; appears in no answer. */
  readonly s3Config?: Readonly<Record<string, unknown>>;
  /** Submissions with the same key and content make one job, for a day. Each has a key of its own without. */
  readonly idempotencyKey?: string | undefined;
}

export interface WaitOptions extends CallOptions {
  /** Called with the record each time the server answers that the job has not ended. */
  readonly onUnfinished?: ((job: UnfinishedJob) => void) | undefined;
  /** How long the server may hold one call, ms, 1000 to 300000; 20000 unless said otherwise. */
  readonly hold?: number | undefined;
}

export interface StreamOptions extends CallOptions {
  /** How many chunks were read before; 0 unless said otherwise. */
  readonly from?: number | undefined;
}

export interface RequestsOptions extends CallOptions {
  /** Only jobs in this state. */
  readonly status?: JobStatus | undefined;
  /** Length of the page, 1 to 1000; 100 unless said otherwise. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}
