import { writeSync } from "node:fs";
import { visibleText } from "../../domain/visible-text.ts";

const STANDARD_ERROR = 2;

/**
 * Prints a line on the standard error at once, without terminal control characters. Bun's console would print
 * it in red.
 */
export function printMessage(line: string): void {
  writeSync(STANDARD_ERROR, `${visibleText(line)}\n`);
}

/**
 * A text of a stranger for the standard output: without control characters in a terminal, unchanged in a
 * file.
 */
export function shown(text: string): string {
  return process.stdout.isTTY ? visibleText(text) : text;
}

/** The width if a terminal does not report one. */
const USUAL = 80;

/** How many characters a line has; no limit if it is no terminal. */
export function widthOf({ isTTY, columns }: NodeJS.WriteStream): number {
  return isTTY ? columns || USUAL : Infinity;
}
