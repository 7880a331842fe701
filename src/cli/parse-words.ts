import { parseArgs, type ParseArgsConfig } from "node:util";
import { CommandFault } from "./command-fault.ts";

export type Flags = NonNullable<ParseArgsConfig["options"]>;

/** The words and flags of a command. Throws CommandFault for a flag that there is not. */
export function parseWords(args: string[], options: Flags) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // What it says behind its first sentence is about words that begin with a dash.
    throw new CommandFault(`${error.message.split(". ")[0]}. See --help.`);
  }
}
