import type { ErrorCode } from "../../src/domain/errors.ts";
import type { SeededRandom } from "../crash/seeded-random.ts";
import { randomObject } from "./random-json.ts";
import type { World } from "./world.ts";

/** Members of a JSON object as text, in the order in which they are sent; a name may come twice. */
export type Members = [name: string, json: string][];

/** A member of a body: values that must be accepted, and values that must be refused. */
export interface MemberRule {
  readonly isRequired?: boolean;
  /** It may be left out, but only where another member is there. */
  readonly isAlwaysSent?: boolean;
  readonly valid: (random: SeededRandom, world: World) => string;
  readonly wrong: readonly string[];
}

/** The body of an operation. */
export interface BodyRule {
  readonly members: Readonly<Record<string, MemberRule>>;
  /** What no member may have. */
  readonly refusal: ErrorCode;
  /** Whether members that the documents do not name are accepted. */
  readonly isOpen: boolean;
  /** Whether a member that is there twice is refused. */
  readonly refusesDoubles: boolean;
  /** Larger bodies are refused, bytes. */
  readonly limit: number;
}

/** The spec's MB. */
export const MB = 1_048_576;

/** JSON that must be refused where the documents name a type. */
export const NO_INTEGERS = ["1.5", '"5"', "true", "[]", "{}", "1e999", "-1", "-9007199254740993"];
export const NO_TEXTS = ["5", "true", "[]", "{}"];
export const NO_BOOLEANS = ['"true"', "1", "[]", "{}"];
export const NO_OBJECTS = ["5", "true", '"x"', "[]"];
export const NO_ARRAYS = ["5", "true", '"x"', "{}"];

/** One of these. */
export const some =
  (...values: [string, ...string[]]) =>
  (random: SeededRandom): string =>
    random.pick(values);

/** A body that must be accepted: all required members, some of the others, in any order. */
export function validMembers(rule: BodyRule, random: SeededRandom, world: World): Members {
  const members = Object.entries(rule.members)
    .filter(([, { isRequired, isAlwaysSent }]) => isRequired || isAlwaysSent || random.chance(0.3))
    .map(([name, { valid }]): Members[number] => [name, valid(random, world)]);
  if (rule.isOpen && random.chance(0.1)) {
    members.push([random.pick(["__proto__", "constructor", "earned", "id", "😀"]), randomObject(random, 1)]);
  }
  return members.toSorted(() => random.next() - 0.5);
}

export function objectText(members: Members): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}
