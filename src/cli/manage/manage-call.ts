import { isId } from "../../domain/ids.ts";
import { CLIENT_FLAGS, type Flags } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { parseWords } from "../parse-words.ts";
import { type ServerAccess, serverAccess } from "../server-call.ts";

/** The arguments of a command that calls a server. */
export interface ManageCall {
  readonly access: ServerAccess;
  /** The first argument; empty for commands that take none. */
  readonly word: string;
  /** All named arguments, and the rest if the command takes any number. */
  readonly words: readonly string[];
  readonly rest: readonly string[];
  /** Whether the output is for a program. */
  readonly isJson: boolean;
  text(flag: string): string | undefined;
  isSet(flag: string): boolean;
  /** All values of a flag that can be given more than once; undefined: none. */
  texts(flag: string): string[] | undefined;
  /** A whole number from 0 on. Throws CommandFault. */
  integer(flag: string): number | undefined;
}

/** The last name, if a command takes any number of further arguments. */
export const MORE = "more";

/** Reads the arguments. `what` names them, such as `id of the key`. Throws CommandFault. */
export function parseManageCall(
  args: string[],
  what: string | readonly string[] | undefined,
  flags: Flags = {},
): ManageCall {
  const all: Flags = { ...CLIENT_FLAGS, ...flags };
  const { values, positionals } = parseWords(args, all);
  const named = [what ?? []].flat();
  const needed = named.filter((each) => each !== MORE);
  const missing = needed.find((_, index) => (positionals[index] ?? "") === "");
  if (missing !== undefined) throw new CommandFault(`the ${missing} is missing. See --help.`);
  const rest = positionals.slice(needed.length);
  if (rest.length > 0 && named.length === needed.length) {
    throw new CommandFault(`unexpected argument ${JSON.stringify(rest[0])}. See --help.`);
  }
  const text = (flag: string): string | undefined => {
    const value = values[flag];
    return typeof value === "string" ? value : undefined;
  };
  return {
    access: serverAccess({ server: text("server"), key: text("key") }),
    word: positionals[0] ?? "",
    words: positionals.slice(0, needed.length),
    rest,
    isJson: values["json"] === true,
    text,
    isSet: (flag) => values[flag] === true,
    texts(flag) {
      const value = values[flag];
      return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
    },
    integer(flag) {
      const value = text(flag);
      return value === undefined ? undefined : wholeNumber(`--${flag}`, value);
    },
  };
}

/** A whole number from 0 on. Throws CommandFault. */
export function wholeNumber(flag: string, given: string): number {
  if (/^[0-9]{1,15}$/.test(given)) return Number(given);
  throw new CommandFault(`${flag} must be a whole number, got ${JSON.stringify(given)}.`);
}

/** An argument as an id in a path. `what` is such as `an endpoint`. Throws CommandFault. */
export function checkedId(what: string, id: string, advice = ""): string {
  if (isId(id)) return id;
  throw new CommandFault(
    `${JSON.stringify(id)} is not the id of ${what}${advice === "" ? "." : `: ${advice}`}`,
  );
}

/** The argument as the id of a key. Throws CommandFault. */
export function givenKeyId({ word }: ManageCall): string {
  return checkedId("a key", word, "forebay keys list shows them.");
}

/** The arguments of a command on a job, whose endpoint can be left out. Throws CommandFault. */
export function parseJobCall(args: string[]) {
  const { access, word, rest, isJson } = parseManageCall(args, ["id of the job", MORE]);
  const [job = word, ...others] = rest;
  if (others.length > 0) throw new CommandFault(`unexpected argument ${JSON.stringify(others[0])}.`);
  return { access, isJson, endpoint: rest.length === 0 ? undefined : word, job: checkedId("a job", job) };
}
