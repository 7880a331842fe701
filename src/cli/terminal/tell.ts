import { writeSync } from "node:fs";

const STANDARD_ERROR = 2;

/** Prints a line on the standard error, at once and as it is: the console of Bun would print it in red. */
export function tell(line: string): void {
  writeSync(STANDARD_ERROR, `${line}\n`);
}
