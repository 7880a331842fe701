import { CONFIG_ROWS } from "../config/rows.ts";
import { type Config, loadConfig } from "../config/config.ts";
import { CommandFault } from "./command-fault.ts";
import type { Flag, Flags } from "./command.ts";
import { parseWords } from "./parse-words.ts";

/** The settings of the server as flags. */
export const CONFIG_FLAGS: Flags = Object.fromEntries(
  Object.values(CONFIG_ROWS).map(({ flag, env, sentence }): [string, Flag] => [
    flag,
    { type: "string", env, help: sentence },
  ]),
);

/** The settings of the encryption keys, for commands that work on a data directory. */
export const KEY_FLAGS = {
  "secret-key": {
    type: "string",
    value: "<key>",
    help: "the encryption key; default: FOREBAY_SECRET_KEY, else the key file",
  },
  "secret-key-previous": {
    type: "string",
    value: "<key>",
    help: "the previous key, if the server has one; default: FOREBAY_SECRET_KEY_PREVIOUS",
  },
  "secret-key-file": {
    type: "string",
    value: "<file>",
    help: "the key file; default: FOREBAY_SECRET_KEY_FILE, else <directory>.key",
  },
} as const satisfies Flags;

/** The settings in the arguments, by flag, and the other `flags` of the command. Throws CommandFault. */
export function configFlags(args: readonly string[], flags: Flags = {}): Record<string, string> {
  const { values, positionals } = parseWords(args.map(spelledOut), { ...CONFIG_FLAGS, ...flags });
  const [surplus] = positionals;
  if (surplus !== undefined)
    throw new CommandFault(`unexpected argument ${JSON.stringify(surplus)}. See --help.`);
  return textsIn(values);
}

/** The settings of a command that works on a data directory: its flags, else the environment. */
export function dataConfig(values: FlagValues): Config {
  return loadConfig(textsIn(values), process.env);
}

/** `--no-demo` is short for `--demo=false`, and `--adopt-data` for `--adopt-data=true`. */
function spelledOut(arg: string, index: number, args: readonly string[]): string {
  const row = Object.values(CONFIG_ROWS).find(({ flag }) => arg === `--no-${flag}` || arg === `--${flag}`);
  if (typeof row?.default !== "boolean") return arg;
  if (arg !== `--${row.flag}`) return `--${row.flag}=false`;
  const hasValue = ["true", "false"].includes(args[index + 1] ?? "");
  return hasValue ? arg : `${arg}=true`;
}

type FlagValues = Readonly<Record<string, unknown>>;

/** The flags that have a text value. */
function textsIn(values: FlagValues): Record<string, string> {
  const given = Object.entries(values).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(given);
}
