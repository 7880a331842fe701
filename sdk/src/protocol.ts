/** How a worker and its server speak. */
export interface Protocol {
  /**
   * Takes jobs and runs them until the worker is drained. Rejects with WorkerRefused when the server does not
   * let it in.
   */
  run(): Promise<void>;
  /** Takes no more jobs; `run` resolves when those that run have ended and their results are stored. */
  drain(): void;
  /** Stops the jobs that run: what their handlers still say is dropped. */
  stopJobs(sentence: string): void;
}
