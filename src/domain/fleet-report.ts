/** The state of the workers that Forebay starts for an endpoint. */
export const FLEET_STATES = [
  /** There are no workers, and no job needs one. */
  "IDLE",
  /** All needed workers are there. */
  "RUNNING",
  /** A worker was started and has not called yet. */
  "STARTING",
  /** More workers are needed than `workersMax` allows. */
  "AT_MAXIMUM",
  /** More workers are needed, and the next one fits nowhere now. */
  "NO_ROOM",
  /** The last worker ended by itself, or could not be started. Forebay waits before the next start. */
  "UNHEALTHY",
  /**
   * Several workers in a row ended before they called. Forebay starts one at a time, and waits longer each
   * time.
   */
  "CRASH_LOOP",
  /** The endpoint is paused. */
  "PAUSED",
] as const;

export type FleetState = (typeof FLEET_STATES)[number];

export const PAUSED_REASON = "The endpoint is paused. Jobs wait until it is resumed (isPaused: false).";

/** The result of the last look at an endpoint. */
export interface FleetReport {
  readonly state: FleetState;
  /** Why jobs wait, and what to do; undefined if they need not wait. */
  readonly reason: string | undefined;
  /** No worker is started before this time; undefined if nothing prevents a start. */
  readonly nextStartAt: number | undefined;
  readonly lastExit: LastExit | undefined;
  /** Workers that are not started because of `workersMax`. */
  readonly throttled: number;
  /** Workers that are not started yet because the last ones ended by themselves. */
  readonly unhealthy: number;
}

/** The last worker that ended by itself or could not be started. */
export interface LastExit {
  readonly worker: string | undefined;
  /** Such as `exit code 1`. */
  readonly how: string;
  readonly at: number;
  /** The last lines of its output. */
  readonly lastLines: readonly string[];
}

/** How it is with the workers that Forebay starts for an endpoint, as the record of the endpoint shows it. */
export type FleetView = Pick<FleetReport, "state" | "reason" | "nextStartAt" | "lastExit"> & {
  /** How long it takes from the order to start a worker until it calls, ms on average; undefined so far. */
  readonly coldStart: number | undefined;
};

/** How many workers of an endpoint are in each state. */
export interface WorkerCounts extends Pick<FleetReport, "throttled" | "unhealthy"> {
  /** Live, without a job. */
  readonly idle: number;
  /** Holding a job. */
  readonly running: number;
  /** Idle, and given the next job. */
  readonly ready: number;
  /** Started by Forebay and not heard of yet. */
  readonly initializing: number;
}
