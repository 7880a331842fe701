import type { RunningJob } from "./running-job.ts";

/** Delivers the reports of handlers to the server, and keeps them until they are stored. All JSON is text. */
export interface Reporter {
  /** Reports a yield. The promise resolves when there is room for the next one. */
  chunk(run: RunningJob, json: string): Promise<void> | undefined;
  /** Reports the newest progress value. */
  progress(run: RunningJob, json: string): void;
  /**
   * Reports the end of a job, with the members `output` and `error` of its result, if it has any. If the
   * result ends the worker, no more jobs are taken, and the server learns it.
   */
  result(run: RunningJob, members: string): void;
  /** The handler of a stopped job has settled, so its slot is free. */
  settledUnheard(run: RunningJob): void;
}
