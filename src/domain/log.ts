/** Where the server says what it does. Messages are fixed sentences; what varies stands in the fields. */
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
