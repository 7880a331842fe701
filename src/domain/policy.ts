/** An integer in milliseconds that a client may choose, from `min` to `max`. */
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

/** Spec 2.2: how long a job may live, from its submission until the end of its run. */
export const TTL: DurationRule = { min: 10_000, max: 7 * DAY, default: DAY };

/** Spec 4.A: the `ttl` query of status. Its published example is below the minimum of `policy.ttl`. */
export const STATUS_TTL: DurationRule = { min: 1, max: 7 * DAY, default: DAY };

/** Spec 4.A.1: the `wait` query of runsync, status-sync and stream. */
export const WAIT: DurationRule = { min: 1_000, max: 5 * MINUTE, default: 90_000 };

/** Spec 4.A.1: how long the result of a runsync job is kept. `wait` can make this longer. */
export const RUNSYNC_RETENTION = MINUTE;

/** Spec 4.A.2: how long the result of a run job is kept. */
export const RUN_RETENTION = 30 * MINUTE;

/** Design, row 24: what an endpoint can set for both. */
export const RETENTION: DurationRule = { min: 1_000, max: 7 * DAY, default: RUN_RETENTION };

/** Design, row 22: how long an Idempotency-Key is known. */
export const IDEMPOTENCY_LIFETIME = DAY;

/** The settings of a job: from its submission, otherwise from its endpoint. */
export interface JobPolicy {
  readonly executionTimeout: number;
  readonly ttl: number;
  readonly lowPriority: boolean;
  /** To find the job by: `domain/tags.ts`. Undefined if there are none. */
  readonly tags?: readonly string[] | undefined;
}

export const DEFAULT_POLICY: JobPolicy = {
  executionTimeout: EXECUTION_TIMEOUT.default,
  ttl: TTL.default,
  lowPriority: false,
};
