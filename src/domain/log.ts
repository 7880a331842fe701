/** The log of the server. Messages are fixed sentences; what varies is in the fields. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A line of the log of a worker, in files and in answers. */
export interface LogLine {
  /** In UTC. */
  readonly time: string;
  /** `forebay` marks Forebay's own messages in the log. */
  readonly stream: "stdout" | "stderr" | "forebay";
  readonly line: string;
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** The stored logs of the workers that this server has started. */
export interface WorkerLogs {
  /** Whether this server has a log of the worker, even an empty one. */
  has(endpoint: string, worker: string): boolean;
  /**
   * The log in whole lines of JSON, the oldest first, in pieces. Ends at the end of the log; with `follow`
   * when the worker has ended, or `signal` aborts.
   */
  read(wish: LogRead): AsyncIterable<Uint8Array>;
}

export interface LogRead {
  readonly endpoint: string;
  readonly worker: string;
  /** The number of last lines; undefined: all. */
  readonly tail?: number | undefined;
  /** Only lines printed at this time or later, ms since 1970. */
  readonly since?: number | undefined;
  /** Only lines printed at this time or before. */
  readonly until?: number | undefined;
  /** Continues with new lines. */
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}
