import type { Flag } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { readInput } from "../queue/queue-call.ts";
import { textOrFile } from "../text-or-file.ts";
import { durationOf } from "../duration-of.ts";
import { splitWords } from "../worker/split-words.ts";
import { type ManageCall, wholeNumber } from "./manage-call.ts";

/** A flag that sets a member of a record. */
export interface Member extends Flag {
  readonly member: string;
  /** The value of the member for the texts of the flag. Throws CommandFault. */
  readonly read: (flag: string, texts: readonly string[]) => unknown;
}

export type Members = Readonly<Record<string, Member>>;

const one = { type: "string" } as const;
const many = { type: "string", multiple: true } as const;

export function text(member: string, value: string, help: string): Member {
  return { ...one, member, value, help, read: (_, [given]) => given };
}

/** A text, or `@file` for its content. */
export function longText(member: string, value: string, help: string): Member {
  return { ...one, member, value, help, read: (_, [given = ""]) => textOrFile(given) };
}

export function count(member: string, value: string, help: string): Member {
  return { ...one, member, value, help, read: (flag, [given = ""]) => wholeNumber(flag, given) };
}

/** Milliseconds, unless `unit` names another unit. */
export function time(member: string, help: string, unit = 1): Member {
  const read: Member["read"] = (flag, [given = ""]) => durationOf(flag, given) / unit;
  return { ...one, member, value: "<time>", help, read };
}

export function yes(member: string, help: string, sends = true): Member {
  return { type: "boolean", member, help, read: () => sends };
}

export function list(member: string, value: string, help: string): Member {
  return { ...many, member, value, help: `${help}. Repeatable`, read: (_, texts) => texts };
}

/** A command line, split into words. */
export function words(member: string, help: string): Member {
  return { ...one, member, value: "'<command>'", help, read: (_, [given = ""]) => splitWords(given) };
}

/** `NAME=value`, or with another separator. */
export function pairs(member: string, value: string, help: string, sign = "="): Member {
  return {
    ...many,
    member,
    value,
    help: `${help}. Repeatable; values that you leave out are removed`,
    read: (flag, texts) =>
      Object.fromEntries(
        texts.map((given) => {
          const at = given.indexOf(sign);
          if (at > 0) return [given.slice(0, at), given.slice(at + 1).trimStart()];
          throw new CommandFault(`${flag} takes ${value}, got ${JSON.stringify(given)}.`);
        }),
      ),
  };
}

/** What the help says about members without a flag. */
export const OTHER_MEMBERS = `You can set any member of the API after the name, in the forms of the
input of a job: member=text, member:=json (null: its default), @file.json or -.
Flags override them.`;

/** The body that the arguments and flags make. Throws CommandFault. */
export async function bodyOf(call: ManageCall, members: Members): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = { ...(await readInput(call.rest)) };
  for (const [flag, { type, member, read }] of Object.entries(members)) {
    const given = type === "boolean" ? (call.isSet(flag) ? [""] : undefined) : textsOf(call, flag);
    if (given !== undefined) body[member] = await read(`--${flag}`, given);
  }
  return body;
}

function textsOf(call: ManageCall, flag: string): string[] | undefined {
  const single = call.text(flag);
  return single === undefined ? call.texts(flag) : [single];
}
