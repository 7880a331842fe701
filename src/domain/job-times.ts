/** How long the jobs of an endpoint may take and stay where they do not say themselves, ms. */
export interface JobTimes {
  /** How long an attempt may run. */
  readonly executionTimeoutMs: number;
  /** How long a job may live, from its submission, over queue and run. */
  readonly ttlMs: number;
  /** How long the record of a run job stays after its end. */
  readonly runRetentionMs: number;
  /** How long the record of a runsync job stays after its end; its `wait` can lengthen it. */
  readonly runsyncRetentionMs: number;
}
