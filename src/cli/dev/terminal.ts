import { styleText } from "node:util";
import type { Log, LogFields } from "../../domain/log.ts";

/** Where lines go. */
export interface Terminal {
  /** Characters that fit into a line; undefined where lines have no end. */
  readonly columns: number | undefined;
  line(text: string): void;
  /** The text in a colour, where there are colours. */
  paint(colour: Colour, text: string): string;
}

export type Colour = "green" | "red" | "yellow" | "dim" | "bold";

/** Colours where a person looks on, unless NO_COLOR asks for none (no-color.org). */
export function terminalOn(stream: NodeJS.WriteStream): Terminal {
  const hasColours = stream.isTTY && (process.env["NO_COLOR"] ?? "") === "";
  return {
    // Its window can be made larger meanwhile.
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    line: (text) => void stream.write(`${text}\n`),
    paint: (colour, text) => (hasColours ? styleText(colour, text, { validateStream: false }) : text),
  };
}

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
