import type { Log } from "../domain/log.ts";
import { visibleText } from "../domain/visible-text.ts";
import { type JournalLevel, journalPrefix } from "./journal.ts";

/** One JSON object a line, with the wall-clock time; nothing in it is obeyed by a terminal. */
export function jsonLog(write: (line: string) => void): Log {
  return linesOf((level, message, fields) =>
    write(visibleText(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }))),
  );
}

/** The same for the journal of systemd: it has a time of its own, and reads the priority before the line. */
export function journalLog(write: (line: string) => void): Log {
  return linesOf((level, message, fields) =>
    write(journalPrefix(level) + visibleText(JSON.stringify({ level, message, ...fields }))),
  );
}

type Line = (level: JournalLevel, ...line: Parameters<Log["info"]>) => void;

function linesOf(write: Line): Log {
  const at =
    (level: JournalLevel): Log["info"] =>
    (message, fields) =>
      write(level, message, fields);
  return { info: at("info"), warn: at("warn"), error: at("error") };
}
