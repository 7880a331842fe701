import { fstatSync } from "node:fs";
import type { Log } from "../domain/log.ts";
import { visibleText } from "../domain/visible-text.ts";

/** The priorities of syslog that the journal of systemd understands (sd-daemon(3)). */
const PRIORITIES = { info: 6, warn: 4, error: 3 } as const;

export type LogLevel = keyof typeof PRIORITIES;

const STANDARD_ERROR = 2;

/** Writes one JSON object per line, with the wall-clock time. A terminal obeys nothing in it. */
export function jsonLog(write: (line: string) => void): Log {
  return linesOf((level, message, fields) =>
    write(visibleText(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }))),
  );
}

/** The same for the journal of systemd, which adds the time itself and reads the priority before the line. */
export function journalLog(write: (line: string) => void): Log {
  return linesOf((level, message, fields) =>
    write(journalPrefix(level) + visibleText(JSON.stringify({ level, message, ...fields }))),
  );
}

/**
 * Whether the standard error goes to the journal of systemd. The variable names the device and inode of that
 * stream: a program whose output was redirected still has the variable, but another stream.
 */
export function isJournal(env: NodeJS.ProcessEnv = process.env): boolean {
  const named = env["JOURNAL_STREAM"] ?? "";
  if (named === "") return false;
  const { dev, ino } = fstatSync(STANDARD_ERROR, { bigint: true });
  return named === `${dev}:${ino}`;
}

/** The prefix of a line in the journal. The journal removes it and keeps the priority. */
export function journalPrefix(level: LogLevel): string {
  return `<${PRIORITIES[level]}>`;
}

type Line = (level: LogLevel, ...line: Parameters<Log["info"]>) => void;

function linesOf(write: Line): Log {
  const at =
    (level: LogLevel): Log["info"] =>
    (message, fields) =>
      write(level, message, fields);
  return { info: at("info"), warn: at("warn"), error: at("error") };
}
