/** An integer in milliseconds that a client may choose, with both ends of its range included. */
export interface DurationRule {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Spec 2.2: how long one attempt may run. */
export const EXECUTION_TIMEOUT: DurationRule = {
  min: 5_001,
  max: Number.MAX_SAFE_INTEGER,
  default: 10 * MINUTE,
};

/** Spec 2.2: how long a job may live, from submission, over queue and run. */
export const TTL: DurationRule = { min: 10_000, max: 7 * DAY, default: DAY };

/** Spec 4.A: the `ttl` query of status. Its published example lies below the minimum of `policy.ttl`. */
export const STATUS_TTL: DurationRule = { min: 1, max: 7 * DAY, default: DAY };

/** Spec 4.A.1: the `wait` query of runsync; of status-sync and stream as well. */
export const WAIT: DurationRule = { min: 1_000, max: 5 * MINUTE, default: 90_000 };

/** Spec 4.A.1: how long the result of a runsync job stays; `wait` can lengthen it. */
export const RUNSYNC_RETENTION = MINUTE;

/** Spec 4.A.2: how long the result of a run job stays. */
export const RUN_RETENTION = 30 * MINUTE;

/** Design, row 24: what an endpoint can say of either. */
export const RETENTION: DurationRule = { min: 1_000, max: 7 * DAY, default: RUN_RETENTION };

/** Design, row 22: how long an Idempotency-Key is known. */
export const IDEMPOTENCY_LIFETIME = DAY;

/** What holds for a job: what its submission asks for, or else what its endpoint says. */
export interface JobPolicy {
  readonly executionTimeout: number;
  readonly ttl: number;
  readonly lowPriority: boolean;
}

export const DEFAULT_POLICY: JobPolicy = {
  executionTimeout: EXECUTION_TIMEOUT.default,
  ttl: TTL.default,
  lowPriority: false,
};
