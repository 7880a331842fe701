import { styleText } from "node:util";

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
