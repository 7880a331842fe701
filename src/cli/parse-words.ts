import { parseArgs } from "node:util";
import { errorCode } from "../domain/errors.ts";
import { CommandFault } from "./command-fault.ts";
import type { Flags } from "./command.ts";
import { didYouMean } from "./nearest.ts";

/** The arguments and flags of a command. Throws CommandFault for an unknown flag. */
export function parseWords<const Options extends Flags>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandFault(sentenceOf(error, Object.keys(options)));
  }
}

function sentenceOf(error: TypeError, known: readonly string[]): string {
  // Its later sentences are about arguments that begin with a dash.
  const said = `${error.message.split(". ")[0]}.`;
  const [, given = ""] = /'(--?[^' ]+)/.exec(said) ?? [];
  const isUnknown = errorCode(error) === "ERR_PARSE_ARGS_UNKNOWN_OPTION";
  const near = isUnknown
    ? didYouMean(
        given,
        known.map((name) => `--${name}`),
      )
    : "";
  return `${said}${near} See --help.`;
}

/** A word, quoted for a shell if needed. */
export function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
