import { writeSync } from "node:fs";
import { visibleText } from "../../domain/visible-text.ts";

const STANDARD_ERROR = 2;

/** Prints a line on the standard error, at once: the console of Bun would print it in red. A terminal
 * obeys nothing in it. */
export function tell(line: string): void {
  writeSync(STANDARD_ERROR, `${visibleText(line)}\n`);
}
