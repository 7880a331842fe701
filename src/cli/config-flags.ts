import { CONFIG_ROWS } from "../config-rows.ts";
import type { Flag, Flags } from "./command.ts";
import { CommandFault } from "./command-fault.ts";
import { parseWords } from "./parse-words.ts";

/** The settings of the server as flags. */
export const CONFIG_FLAGS: Flags = Object.fromEntries(
  Object.values(CONFIG_ROWS).map(({ flag, env, sentence }): [string, Flag] => [
    flag,
    { type: "string", env, help: sentence },
  ]),
);

/**
 * The settings that the arguments say, by their flags, and the other `flags` of the command. Throws
 * CommandFault.
 */
export function configFlags(args: readonly string[], flags: Flags = {}): Record<string, string> {
  const { values, positionals } = parseWords(args.map(spelledOut), { ...CONFIG_FLAGS, ...flags });
  const [surplus] = positionals;
  if (surplus !== undefined) throw new CommandFault(`there is a word too many: ${JSON.stringify(surplus)}.`);
  const given = Object.entries(values).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(given);
}

/** `--no-demo` is short for `--demo=false`, and `--adopt-data` for `--adopt-data=true`. */
function spelledOut(arg: string, index: number, args: readonly string[]): string {
  const row = Object.values(CONFIG_ROWS).find(({ flag }) => arg === `--no-${flag}` || arg === `--${flag}`);
  if (typeof row?.default !== "boolean") return arg;
  if (arg !== `--${row.flag}`) return `--${row.flag}=false`;
  const hasValue = ["true", "false"].includes(args[index + 1] ?? "");
  return hasValue ? arg : `${arg}=true`;
}
