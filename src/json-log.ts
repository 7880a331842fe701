import type { Log } from "./domain/log.ts";

/** One JSON object a line, with the wall-clock time. */
export function jsonLog(write: (line: string) => void): Log {
  const at =
    (level: string): Log["info"] =>
    (message, fields) =>
      write(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
  return { info: at("info"), warn: at("warn"), error: at("error") };
}
