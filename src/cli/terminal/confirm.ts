import { createInterface } from "node:readline/promises";
import { visibleText } from "../../domain/visible-text.ts";
import { CommandFault, Interrupted } from "../command-fault.ts";

/**
 * Asks in the terminal; only `y` and `yes` are a yes. Throws CommandFault if nobody can answer, and
 * Interrupted for Ctrl-C.
 */
export async function confirmed(question: string): Promise<boolean> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    throw new CommandFault("nobody can be asked, because the standard input is no terminal. Add --yes.");
  }
  const stopping = new AbortController();
  const lines = createInterface({ input: stdin, output: stderr });
  lines.on("SIGINT", () => stopping.abort());
  try {
    const answer = await lines.question(`${visibleText(question)} [y/N] `, { signal: stopping.signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (stopping.signal.aborted) throw new Interrupted("Nothing was done.");
    throw error;
  } finally {
    lines.close();
  }
}
