import { writeSync } from "node:fs";
import { visibleText } from "../../domain/visible-text.ts";

const STANDARD_ERROR = 2;

/** Prints a line on the standard error, at once: the console of Bun would print it in red. A terminal
 * obeys nothing in it. */
export function tell(line: string): void {
  writeSync(STANDARD_ERROR, `${visibleText(line)}\n`);
}

/** A stranger's text for the standard output: a terminal obeys nothing in it, a file gets it as it is. */
export function shown(text: string): string {
  return process.stdout.isTTY ? visibleText(text) : text;
}

/** Some terminals do not say how wide they are. */
const USUAL = 80;

/** How many characters a line has; no limit where there is no terminal. */
export function widthOf({ isTTY, columns }: NodeJS.WriteStream): number {
  return isTTY ? columns || USUAL : Infinity;
}
