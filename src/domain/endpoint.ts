import type { JobTimes } from "./job-times.ts";
import type { RaisedLimits } from "./rate-limits.ts";

/** What an endpoint says of the times of its jobs; undefined: as the server says. */
export type ChosenTimes = { readonly [Name in keyof JobTimes]: number | undefined };

/** A queue and the workers behind it. */
export interface Endpoint extends ChosenTimes {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  /** What Forebay starts for it; undefined where all workers come by themselves. */
  readonly templateId: string | undefined;
  /** How many workers Forebay keeps running; workers that come by themselves do not count. */
  readonly workersMin: number;
  /** How many workers Forebay starts at most. */
  readonly workersMax: number;
  /** Seconds after which a worker without a job is stopped, down to `workersMin`. */
  readonly idleTimeout: number;
  /** Where it may be called more often than others; undefined: nowhere. */
  readonly rateLimits: RaisedLimits | undefined;
  /** How many jobs may wait; undefined: any number. */
  readonly maxQueuedJobs: number | undefined;
  /** How many bytes the jobs that wait may have together; undefined: any number. */
  readonly maxQueuedBytes: number | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export const ENDPOINT_DEFAULTS = {
  workersMin: 0,
  workersMax: 3,
  idleTimeout: 5,
  executionTimeoutMs: undefined,
  ttlMs: undefined,
  runRetentionMs: undefined,
  runsyncRetentionMs: undefined,
  rateLimits: undefined,
  maxQueuedJobs: undefined,
  maxQueuedBytes: undefined,
} as const;
