/** A queue under test, set up anew for each run. */
export interface Contestant {
  readonly name: string;
  start(jobs: number): Promise<Running>;
}

/** What the figures of a contestant are made of. */
export interface Measured {
  /** CPU time so far, in microseconds. */
  cpu(): number;
  /** MB. */
  memory(): number;
  stop(): Promise<void>;
}

export interface Running {
  /** Where jobs are posted. */
  readonly port: number;
  readonly path: string;
  readonly key: string;
  /** Everything that works for it: servers, stores, workers. */
  readonly processes: readonly Measured[];
  /** Resolves when all jobs have been run. */
  done(): Promise<unknown>;
  /** Removes what it has written. */
  clean(): Promise<void>;
}
