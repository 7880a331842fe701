import type { Log } from "./domain/log.ts";
import { visibleText } from "./domain/visible-text.ts";

/** One JSON object a line, with the wall-clock time; nothing in it is obeyed by a terminal. */
export function jsonLog(write: (line: string) => void): Log {
  const at =
    (level: string): Log["info"] =>
    (message, fields) =>
      write(visibleText(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })));
  return { info: at("info"), warn: at("warn"), error: at("error") };
}
