/** How it can be with the workers that Forebay starts for an endpoint. */
export const FLEET_STATES = [
  /** There are none, and no job wants one. */
  "IDLE",
  /** Those that are wanted are there. */
  "RUNNING",
  /** One was started and has not called yet. */
  "STARTING",
  /** More are wanted than `workersMax` allows. */
  "AT_MAXIMUM",
  /** The last one ended by itself, or could not be started: the next start waits a while. */
  "UNHEALTHY",
  /** Several in a row ended before they called: one at a time is tried, after ever longer waits. */
  "CRASH_LOOP",
  /** The endpoint is paused. */
  "PAUSED",
] as const;

export type FleetState = (typeof FLEET_STATES)[number];

export const PAUSED_REASON = "The endpoint is paused: jobs wait until isPaused is false again.";

/** What the last look at an endpoint has found. */
export interface FleetReport {
  readonly state: FleetState;
  /** Why jobs wait, in one sentence; undefined when nothing keeps them waiting. */
  readonly reason: string | undefined;
  /** No worker is started before this time; undefined when nothing stands against it. */
  readonly nextStartAt: number | undefined;
  readonly lastExit: LastExit | undefined;
  /** Workers that `workersMax` keeps from being started. */
  readonly throttled: number;
  /** Workers that are not started for a while, because the last ones ended by themselves. */
  readonly unhealthy: number;
}

/** The last worker that ended by itself or could not be started. */
export interface LastExit {
  readonly worker: string | undefined;
  /** Such as `exit code 1`. */
  readonly how: string;
  readonly at: number;
  /** What it printed last. */
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
