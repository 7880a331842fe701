import type { MeasuredProcess } from "./measured-process.ts";

/** A queue under test, set up anew for each run. */
export interface Contestant {
  readonly name: string;
  start(jobs: number): Promise<Running>;
}

export interface Running {
  /** Where jobs are posted. */
  readonly port: number;
  readonly path: string;
  readonly key: string;
  /** Everything that works for it: servers, stores, workers. */
  readonly processes: readonly MeasuredProcess[];
  /** Resolves when all jobs have been run. */
  done(): Promise<unknown>;
  /** Removes what it has written. */
  clean(): Promise<void>;
}
