import { text } from "node:stream/consumers";
import type { Endpoint } from "@forebay/worker/client";
import { CommandFault } from "../command-fault.ts";
import type { Flags } from "../command.ts";
import { checkedId, type ManageCall, MORE, parseManageCall } from "../manage/manage-call.ts";
import { connect, endpointInPath } from "../server-call.ts";
import { contentOf } from "../text-or-file.ts";

export interface QueueCall extends Omit<ManageCall, "word" | "words"> {
  readonly endpoint: Endpoint;
  /** Id of the job; empty for commands that take none. */
  readonly job: string;
}

type Word = "endpoint" | "job" | "input";

/**
 * Reads the arguments and flags of a queue command. `input` stands for any number of arguments. Throws
 * CommandFault.
 */
export function parseQueueCall(args: string[], words: readonly Word[], flags: Flags = {}): QueueCall {
  const named = words.map((word) =>
    word === "input" ? MORE : word === "endpoint" ? "id or name of the endpoint" : `id of the ${word}`,
  );
  const call = parseManageCall(args, named, flags);
  const [endpoint = "", job = ""] = call.words;
  // Refuses a name that cannot be in a path.
  endpointInPath(endpoint);
  if (words.includes("job")) checkedId("a job", job);
  return { ...call, endpoint: connect(call.access).endpoint(endpoint), job };
}

type Input = Record<string, unknown>;

/** `name=text` or `name:=json`. */
const PAIR = /^([A-Za-z_][\w.-]*)(:?=)(.*)$/s;

/**
 * The input of a job from the arguments: a JSON object, `@file`, `-` for the standard input, or pairs;
 * without arguments an empty object. Throws CommandFault.
 */
export async function readInput(words: readonly string[]): Promise<Input> {
  const [word, ...more] = words;
  if (word === undefined) return {};
  if (words.every((word) => PAIR.test(word))) return Object.fromEntries(words.map(pair));
  if (more.length > 0) {
    throw new CommandFault(
      "the input is one JSON object, @file, - or pairs name=value: put quotes around JSON.",
    );
  }
  if (word === "-") return parseObject("the standard input", await text(process.stdin));
  if (word.startsWith("@")) return parseObject(word.slice(1), await contentOf(word.slice(1)));
  return parseObject("the input", word);
}

function pair(word: string): [name: string, value: unknown] {
  const [, name = "", sign, value = ""] = PAIR.exec(word) ?? [];
  return [name, sign === "=" ? value : parseJson(name, value)];
}

function parseObject(source: string, json: string): Input {
  const value = parseJson(source, json);
  if (isObject(value)) return value;
  throw new CommandFault(`${source} is not a JSON object. Use '{"name": "world"}', or name=world.`);
}

function parseJson(source: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFault(`${source} is not JSON (${reason}). Use '{"name": "world"}', or name=world.`);
  }
}

function isObject(value: unknown): value is Input {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
