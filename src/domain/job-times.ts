/** The default times of the jobs of an endpoint, ms. */
export interface JobTimes {
  /** How long an attempt may run. */
  readonly executionTimeoutMs: number;
  /** How long a job may live, from its submission until the end of its run. */
  readonly ttlMs: number;
  /** How long the record of a run job stays after its end. */
  readonly runRetentionMs: number;
  /** How long the record of a runsync job stays after its end; its `wait` can lengthen it. */
  readonly runsyncRetentionMs: number;
}
