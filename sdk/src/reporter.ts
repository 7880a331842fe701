import type { RunningJob } from "./running-job.ts";

/** Brings to the server what handlers say, and keeps it until it is stored there. All JSON is text. */
export interface Reporter {
  /** A yield. What it returns resolves when there is room for the next one. */
  chunk(run: RunningJob, json: string): Promise<void> | undefined;
  /** The newest progress value. */
  progress(run: RunningJob, json: string): void;
  /**
   * The end of a job: the members `output` and `error` of its result, as far as there are any. When it ends
   * the worker, no more jobs are taken, and the server is told.
   */
  result(run: RunningJob, members: string): void;
  /** The handler of a job that was stopped has settled: its slot is free. */
  settledUnheard(run: RunningJob): void;
}
