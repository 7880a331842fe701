import type { Job } from "./job.ts";

/** What one operation does to many jobs. */
export const JOB_ACTIONS = ["retry", "resubmit", "cancel"] as const;

export type JobAction = (typeof JOB_ACTIONS)[number];

/** COMPLETED also if single jobs failed. */
export const OPERATION_STATES = ["RUNNING", "COMPLETED", "CANCELLED", "FAILED"] as const;

export type OperationState = (typeof OPERATION_STATES)[number];

/** Why nothing can be done for a job. */
export const SKIP_REASONS = [
  "NOT_RETRYABLE",
  "INPUT_NOT_KEPT",
  "ALREADY_ENDED",
  "JOB_NOT_FOUND",
  "ENDPOINT_NOT_FOUND",
] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

/** A job by its endpoint and id. */
export type JobName = Pick<Job, "endpoint" | "id">;

/** How many jobs match, and for how many the action can do something. */
export interface ActionCount {
  readonly matches: number;
  readonly eligible: number;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** Whether all matching jobs were counted. */
  readonly isWhole: boolean;
}

/** One action on many jobs, and how far it is (decision 0041). All times are ms since 1970. */
export interface JobOperationView {
  readonly id: string;
  readonly action: JobAction;
  readonly state: OperationState;
  /** How many jobs there were when it was called; once all were found, how many these are. */
  readonly matches: number;
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  /** The first failures. */
  readonly errors: readonly OperationError[];
  /** The first jobs that a resubmission made. */
  readonly made: readonly MadeJob[];
  readonly createdAt: number;
  readonly endedAt?: number | undefined;
  /** Why it is FAILED. */
  readonly reason?: string | undefined;
}

export interface OperationError extends JobName {
  readonly code: string;
  readonly message: string;
}

/** A job that was resubmitted, and the new one on the same endpoint. */
export interface MadeJob extends JobName {
  readonly from: string;
}

/** At most so many jobs in one operation. */
export const OPERATION_JOBS = 100_000;

/** At most so many jobs named one by one. */
export const NAMED_JOBS = 1_000;

/** At most so many errors, and jobs that were made, are kept with an operation. */
export const KEPT_ERRORS = 10;
export const KEPT_MADE = 1_000;

/** At most so many operations of an account run at the same time. */
export const RUNNING_OPERATIONS = 3;

/** So many ended operations of an account are kept, and for so long after their end, ms. */
export const KEPT_OPERATIONS = 20;
export const OPERATION_RETENTION = 86_400_000;
