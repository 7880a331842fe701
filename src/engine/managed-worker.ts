/** A worker that Forebay started. The engine and the fleet tell each other here what they know of it. */
export interface ManagedWorker {
  readonly endpoint: string;
  /** When its start was asked for; undefined when that was by an earlier server. */
  readonly orderedAt: number | undefined;
  /** Since when it runs, as far as this server knows; undefined while it does not run yet. */
  runsSince: number | undefined;
  /** How long its image was fetched, ms; undefined where it was there, and for other kinds of workers. */
  pullMs?: number | undefined;
  /**
   * When it last got or ended a job, as far as the signals of this server tell, or else first called, or else
   * was started.
   */
  lastJobAt: number;
  /** It has called at least once. */
  hasCalled: boolean;
  /** When it did so first; undefined where that was not seen. */
  calledAt?: number | undefined;
  /** It has got a job, as far as the signals of this server tell. */
  hadJob?: boolean;
}
