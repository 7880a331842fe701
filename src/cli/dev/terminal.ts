import { styleText } from "node:util";
import type { Log, LogFields } from "../../domain/log.ts";

/** The terminal, or the file, that lines are written to. */
export interface Terminal {
  /** How many characters fit into a line; undefined if it is no terminal. */
  readonly columns: number | undefined;
  line(text: string): void;
  /** The text in a colour, if colours are supported. */
  paint(colour: Colour, text: string): string;
}

export type Colour = "green" | "red" | "yellow" | "dim" | "bold";

/** Uses colours in a terminal, unless NO_COLOR is set (no-color.org). */
export function terminalOn(stream: NodeJS.WriteStream): Terminal {
  const hasColours = stream.isTTY && (process.env["NO_COLOR"] ?? "") === "";
  return {
    // The window can be resized.
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    line: (text) => void stream.write(`${text}\n`),
    paint: (colour, text) => (hasColours ? styleText(colour, text, { validateStream: false }) : text),
  };
}

/**
 * The public Python SDK also logs an exception of the handler. The terminal shows it with the job already.
 */
const TOLD_BY_THE_JOB = /^\{"requestId": .*(?:"Captured Handler Exception"|\\"error_traceback\\")/;

/** Logs the output of the worker as it is, and the warnings of the server. */
export function terminalLog(terminal: Terminal): Log {
  const showWarning = (message: string, fields: LogFields = {}): void => {
    const rest = Object.entries(fields).map(([name, value]) => `${name} ${value}`);
    terminal.line(terminal.paint("yellow", `forebay: ${[message, ...rest].join(", ")}`));
  };
  return {
    info(message, fields) {
      const line = String(fields?.["line"]);
      if (message === "worker output" && !TOLD_BY_THE_JOB.test(line)) terminal.line(line);
    },
    warn: showWarning,
    error: showWarning,
  };
}
