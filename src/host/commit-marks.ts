import { fstatSync, writeSync } from "node:fs";
import { OperatorFault } from "../domain/operator-fault.ts";

/** What a reader of the marks sees. */
const MARKS = { open: "o", begin: "b", end: "e" } as const;

/**
 * What writes a mark to the inherited descriptor when a commit begins, and another one when it has ended, so
 * that who kills the server knows whether it was inside one. Undefined for 0, which stands for none. A first
 * mark is written at once: throws a sentence when nothing can be written there.
 */
export function commitMarks(descriptor: number): ((mark: "begin" | "end") => void) | undefined {
  if (descriptor === 0) return undefined;
  const write = (mark: keyof typeof MARKS): void => void writeSync(descriptor, MARKS[mark]);
  try {
    const what = fstatSync(descriptor);
    // Marks in a file of the server would destroy it.
    if (!what.isFIFO() && !what.isSocket()) throw new OperatorFault("it is no pipe");
    write("open");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorFault(
      `--commit-marks-fd: descriptor ${descriptor} cannot take marks: ${reason}. ` +
        "Leave the flag out, or start the server with a pipe there that somebody reads.",
      { cause: error },
    );
  }
  return write;
}
