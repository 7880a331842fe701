import { isId } from "../../domain/ids.ts";
import { CommandFault } from "../command-fault.ts";
import { type Flags, parseWords } from "../parse-words.ts";
import { type ServerAccess, serverAccess } from "../server-access.ts";

/** A command that manages accounts and keys, as its words and flags say. */
export interface ManageCall {
  readonly access: ServerAccess;
  /** The word behind the command; empty for commands that take none. */
  readonly word: string;
  /** Whether a program reads the answer. */
  readonly isJson: boolean;
  text(flag: string): string | undefined;
  isSet(flag: string): boolean;
  /** All that were given with a flag that can be given more than once; undefined: none. */
  texts(flag: string): string[] | undefined;
}

const FLAGS = {
  server: { type: "string" },
  key: { type: "string" },
  json: { type: "boolean" },
} as const;

/** Reads the arguments; `what` names the one word that the command takes. Throws CommandFault. */
export function parseManageCall(args: string[], what: string | undefined, flags: Flags = {}): ManageCall {
  const { values, positionals } = parseWords(args, { ...FLAGS, ...flags });
  const [word = ""] = positionals;
  if (what !== undefined && word === "") throw new CommandFault(`say the ${what}: see --help.`);
  const surplus = positionals[what === undefined ? 0 : 1];
  if (surplus !== undefined) {
    throw new CommandFault(`there is a word too many: ${JSON.stringify(surplus)}.`);
  }
  const text = (flag: string): string | undefined => {
    const value = values[flag];
    return typeof value === "string" ? value : undefined;
  };
  return {
    access: serverAccess({ server: text("server"), key: text("key") }),
    word,
    isJson: values["json"] === true,
    text,
    isSet: (flag) => values[flag] === true,
    texts(flag) {
      const value = values[flag];
      return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
    },
  };
}

/** The word as the id of a key, which stands in a path. Throws CommandFault. */
export function givenKeyId({ word }: ManageCall): string {
  if (isId(word)) return word;
  throw new CommandFault(`${JSON.stringify(word)} is no id of a key: forebay keys list has them.`);
}
