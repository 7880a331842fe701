/** All waits of the server, ms. Each one is a setting, so that tests can shorten it. */
export interface Durations {
  /** The heartbeat interval of workers. */
  readonly pingInterval: number;
  /** After this time, a job without proof of receipt is handed out again. */
  readonly deliveryLease: number;
  /** After this time without a call, a worker is lost. */
  readonly workerLease: number;
  /** How long a job that a worker has lost does not go to the same worker. */
  readonly rehandDelay: number;
  /** How long a job-take waits for a job. */
  readonly takeHold: number;
  /** How long a job-stop waits for a job to stop. */
  readonly stopHold: number;
  /** How long a read of a stream waits for a chunk, if the client does not say. */
  readonly streamHold: number;
  /** After this time without an event, a live stream sends a comment. */
  readonly streamSilence: number;
  /** How often deadlines and leases are checked. */
  readonly sweepInterval: number;
  /** How long the record of a run job is kept after its end. */
  readonly runRetention: number;
  /** How long the record of a runsync job is kept after its end, unless it asks for longer. */
  readonly runsyncRetention: number;
  /** The timeout of one attempt to deliver a webhook. */
  readonly webhookTimeout: number;
  /** The pause between the end of a failed attempt and the next one. */
  readonly webhookPause: number;
  /** How often we look for due webhooks without a notification. */
  readonly webhookInterval: number;
  /** How long a webhook that was not acknowledged can be redelivered. */
  readonly webhookRetention: number;
  /** How long a worker that Forebay started may take until its first call. */
  readonly workerInitTimeout: number;
  /** After this time without an answer of its engine, a host is lost. */
  readonly hostTimeout: number;
  /** How long a worker that is being stopped may work on its jobs before it is killed. */
  readonly drainGrace: number;
}
