/**
 * All waiting of the server, in milliseconds. Each is a row of the configuration, so that tests can shorten
 * it.
 */
export interface Durations {
  /** How often workers are told to ping. */
  readonly pingInterval: number;
  /** A job without proof of receipt is handed out again after this. */
  readonly deliveryLease: number;
  /** A worker that has not called for this long is lost. */
  readonly workerLease: number;
  /** A job that was lost at a worker does not go to the same worker before this is over. */
  readonly rehandDelay: number;
  /** How long a job-take without a job is held. */
  readonly takeHold: number;
  /** How long a job-stop without a job to stop is held. */
  readonly stopHold: number;
  /** How long a stream read without a chunk is held when it does not say. */
  readonly streamHold: number;
  /** How long a live stream is silent until it sends a comment. */
  readonly streamSilence: number;
  /** How often deadlines and leases are looked at. */
  readonly sweepInterval: number;
  /** How long the record of a run job stays after its end. */
  readonly runRetention: number;
  /** How long the record of a runsync job stays after its end, when it does not ask for longer. */
  readonly runsyncRetention: number;
  /** How long one attempt to deliver a webhook may take. */
  readonly webhookTimeout: number;
  /** How long after the end of a failed attempt the next one begins. */
  readonly webhookPause: number;
  /** How often is looked for webhooks that are due without a sign of it. */
  readonly webhookInterval: number;
  /** How long a webhook that nobody acknowledged can be asked for once more. */
  readonly webhookRetention: number;
  /** How long a worker that Forebay started may take until it calls for the first time. */
  readonly workerInitTimeout: number;
  /** How long a worker that is being stopped may finish its jobs before it is killed. */
  readonly drainGrace: number;
}
