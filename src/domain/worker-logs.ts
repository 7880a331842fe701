/** What the workers that this server has started have printed: as much of it as is kept. */
export interface WorkerLogs {
  /** Whether this server keeps a log of the worker, if only an empty one. */
  has(endpoint: string, worker: string): boolean;
  /**
   * The log in whole lines of JSON, the oldest first, in pieces. Ends where the log ends; with `follow` when
   * the worker has ended, or `signal` aborts.
   */
  read(wish: LogRead): AsyncIterable<Uint8Array>;
}

export interface LogRead {
  readonly endpoint: string;
  readonly worker: string;
  /** Only so many of the last lines; undefined: all. */
  readonly tail?: number | undefined;
  /** Only lines printed at this time or later, ms since 1970. */
  readonly since?: number | undefined;
  /** Only lines printed at this time or before. */
  readonly until?: number | undefined;
  /** Goes on with what is printed. */
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}
