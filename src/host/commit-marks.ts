import { fstatSync, writeSync } from "node:fs";
import { OperatorFault } from "../domain/operator-fault.ts";

/** One byte for each event: the start of the server, and the beginning and end of a commit. */
const MARKS = { open: "o", begin: "b", end: "e" } as const;

/**
 * Marks commits for a test that kills the server: it reads from a pipe whether a commit was in progress.
 *
 * Answers the function that writes a mark to the inherited descriptor when a commit begins or has ended;
 * undefined for descriptor 0, which stands for none. Writes a first mark at once, and throws OperatorFault if
 * that is not possible.
 */
export function commitMarks(descriptor: number): ((mark: "begin" | "end") => void) | undefined {
  if (descriptor === 0) return undefined;
  const write = (mark: keyof typeof MARKS): void => void writeSync(descriptor, MARKS[mark]);
  try {
    const what = fstatSync(descriptor);
    // Marks in a file of the server would destroy it.
    if (!what.isFIFO() && !what.isSocket()) throw new OperatorFault("it is not a pipe");
    write("open");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorFault(
      `--commit-marks-fd: descriptor ${descriptor} cannot be written to: ${reason}. ` +
        "Leave the flag out, or start the server with a pipe that a program reads.",
      { cause: error },
    );
  }
  return write;
}
