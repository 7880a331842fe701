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
   * The log in pieces, the oldest first. Ends at the end of the log; with `follow` when the worker has ended,
   * or `signal` aborts. If the worker has ended and nothing is left, the last piece says so.
   */
  read(wish: LogRead): AsyncIterable<LogPiece>;
}

/** A part of a log. */
export interface LogPiece {
  /** Whole lines of JSON. */
  readonly lines: Uint8Array;
  /** Where they begin: bytes since the beginning of the log, also of those that are deleted. */
  readonly position: number;
  /** Nothing can follow. Such a piece has no lines. */
  readonly isEnd?: true;
}

export interface LogRead {
  readonly endpoint: string;
  readonly worker: string;
  /** Only lines from this position on; not with `tail`. */
  readonly from?: number | undefined;
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
