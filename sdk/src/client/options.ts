import type { JobStatus, UnfinishedJob } from "./job.ts";

export interface CallOptions {
  /** Aborts the call, which rejects with its reason. What the server has begun continues. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call is retried while the server is busy or away, ms; overrides the client's value. */
  readonly patience?: number | undefined;
}

export interface SubmitOptions extends CallOptions {
  /** The address to call when the job ends. */
  readonly webhook?: string;
  readonly policy?: {
    /** Execution timeout of an attempt, ms; above 5000. */
    readonly executionTimeout?: number;
    /** TTL of the job, over queue and run, ms; from 10000. */
    readonly ttl?: number;
    /** The job starts no workers. */
    readonly lowPriority?: boolean;
    /** Up to 8 tags to find the job by, each of 1 to 64 visible characters. */
    readonly tags?: readonly string[];
  };
  /** Storage for the worker. No answer contains it. */
  readonly s3Config?: Readonly<Record<string, unknown>>;
  /** For a day, submissions with the same key and content create one job. By default each has its own key. */
  readonly idempotencyKey?: string | undefined;
}

export interface WaitOptions extends CallOptions {
  /** Called with the record each time the server answers that the job has not ended. */
  readonly onUnfinished?: ((job: UnfinishedJob) => void) | undefined;
  /** How long the server may hold one call, ms, 1000 to 300000; by default 20000. */
  readonly hold?: number | undefined;
}

export interface StreamOptions extends CallOptions {
  /** How many chunks were already read; by default 0. */
  readonly from?: number | undefined;
}

export interface RequestsOptions extends CallOptions {
  /** Only jobs in this state. */
  readonly status?: JobStatus | undefined;
  /** The size of a page, 1 to 1000; by default 100. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}
