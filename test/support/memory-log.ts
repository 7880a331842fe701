import type { Log, LogFields } from "../../src/domain/log.ts";

export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields | undefined;
}

/** Keeps what was logged, so that a test can see that nothing failed unseen. */
export class MemoryLog implements Log {
  readonly entries: LogEntry[] = [];

  info = (message: string, fields?: LogFields): void => this.#add("info", message, fields);
  warn = (message: string, fields?: LogFields): void => this.#add("warn", message, fields);
  error = (message: string, fields?: LogFields): void => this.#add("error", message, fields);

  get errors(): LogEntry[] {
    return this.entries.filter((entry) => entry.level === "error");
  }

  #add(level: LogEntry["level"], message: string, fields: LogFields | undefined): void {
    this.entries.push({ level, message, fields });
  }
}
