import { type Endpoint, Forebay } from "@forebay/worker/client";
import { isId } from "../../domain/ids.ts";
import { CommandFault } from "../command-fault.ts";
import { type Flags, parseWords } from "../parse-words.ts";
import { type ServerAccess, serverAccess } from "../server-access.ts";

/** The flags of every command of the queue. */
const FLAGS = {
  server: { type: "string" },
  key: { type: "string" },
  json: { type: "boolean" },
} as const;

export interface QueueCall {
  readonly endpoint: Endpoint;
  /** Id of the job; empty for commands that take none. */
  readonly job: string;
  /** The words behind the ids. */
  readonly rest: readonly string[];
  /** Whether a program reads the answer. */
  readonly isJson: boolean;
  text(flag: string): string | undefined;
  isSet(flag: string): boolean;
  /** A whole number from 0 on. Throws CommandFault. */
  integer(flag: string): number | undefined;
}

export type Word = "endpoint" | "job" | "input";

/**
 * Reads the arguments of a command of the queue: its words in their order (`input` is any number of them) and
 * its flags. Throws CommandFault.
 */
export function parseQueueCall(args: string[], words: readonly Word[], flags: Flags = {}): QueueCall {
  const { values, positionals } = parseWords(args, { ...FLAGS, ...flags });
  const ids = words.filter((word) => word !== "input");
  for (const [index, word] of ids.entries()) checkId(word, positionals[index]);
  const rest = positionals.slice(ids.length);
  if (rest.length > 0 && ids.length === words.length) {
    throw new CommandFault(`there is a word too many: ${JSON.stringify(rest[0])}.`);
  }
  const text = (flag: string): string | undefined => {
    const value = values[flag];
    return typeof value === "string" ? value : undefined;
  };
  const [endpoint = "", job = ""] = positionals;
  return {
    endpoint: connect(serverAccess({ server: text("server"), key: text("key") })).endpoint(endpoint),
    job,
    rest,
    isJson: values["json"] === true,
    text,
    isSet: (flag) => values[flag] === true,
    integer(flag) {
      const value = text(flag);
      if (value === undefined) return undefined;
      if (/^[0-9]{1,15}$/.test(value)) return Number(value);
      throw new CommandFault(`--${flag} must be a whole number, got ${JSON.stringify(value)}.`);
    },
  };
}

function checkId(word: string, id: string | undefined): void {
  if (id === undefined) throw new CommandFault(`say the id of the ${word}: see --help.`);
  if (isId(id)) return;
  throw new CommandFault(`${JSON.stringify(id)} is no id of ${word === "job" ? "a" : "an"} ${word}.`);
}

/** Calls fail at once: a person can say them again. What waits is more patient (wait-for-end.ts). */
function connect({ server: url, key }: ServerAccess): Forebay {
  try {
    return new Forebay({ url, key, patience: 0 });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandFault(`${error.message} Say another one: --server <address>, or FOREBAY_URL.`);
  }
}
