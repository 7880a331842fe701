/** A worker that Forebay started. The engine and the fleet tell each other here what they know of it. */
export interface ManagedWorker {
  readonly endpoint: string;
  /** When it last got or ended a job, as far as the signals of this server tell, or else was started. */
  lastJobAt: number;
  /** It has called at least once. */
  hasCalled: boolean;
}

/** The workers that an endpoint should have and does not. */
export interface Shortage {
  /** Those that its `workersMax` keeps from being started. */
  readonly throttled: number;
  /** Those that are not started for a while, because the last ones ended by themselves. */
  readonly unhealthy: number;
}
