/** The protocol between a worker and its server. */
export interface Protocol {
  /**
   * Takes jobs and runs them until the worker is drained. Rejects with WorkerRefused if the server does not
   * accept the worker.
   */
  run(): Promise<void>;
  /** Takes no more jobs. `run` resolves when the running ones have ended and their results are stored. */
  drain(): void;
  /** Stops the running jobs. Their further reports are dropped. */
  stopJobs(sentence: string): void;
}
