import type { Log, LogFields } from "../../domain/log.ts";
import type { Terminal } from "./terminal.ts";

/** The public Python SDK writes an exception of the handler into its log; it stands with the job as well. */
const TOLD_BY_THE_JOB = /^\{"requestId": .*(?:"Captured Handler Exception"|\\"error_traceback\\")/;

/** What the worker prints, as it prints it, and what the server warns of. */
export function terminalLog(terminal: Terminal): Log {
  const tell = (message: string, fields: LogFields = {}): void => {
    const rest = Object.entries(fields).map(([name, value]) => `${name} ${value}`);
    terminal.line(terminal.paint("yellow", `forebay: ${[message, ...rest].join(", ")}`));
  };
  return {
    info(message, fields) {
      const line = String(fields?.["line"]);
      if (message === "worker output" && !TOLD_BY_THE_JOB.test(line)) terminal.line(line);
    },
    warn: tell,
    error: tell,
  };
}
