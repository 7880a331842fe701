import type { SeededRandom } from "../crash/seeded-random.ts";

const NUMBERS = [
  "0",
  "-0",
  "1.0",
  "-1",
  "1e4",
  "0.1e-400",
  "1e999",
  "2147483648",
  "9007199254740993",
  "1".repeat(400),
] as const;

const STRINGS = [
  '""',
  '"a"',
  '"\\u0000"',
  '"\\ud83d\\ude00"',
  '"😀 é e\u0301 ﷽"',
  '"<img src=x onerror=alert(1)></script>"',
  '"\u202e\ufeff\u007f"',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t"',
  '"\' or 1=1--; $(id) `id` %s %00 ../../etc/passwd"',
  `"${"x".repeat(300)}"`,
] as const;

const KEYS = [
  '"a"',
  '"b"',
  '""',
  '"2"',
  '"10"',
  '"__proto__"',
  '"constructor"',
  '"prototype"',
  '"toString"',
  '"id"',
  '"status"',
  '"\\u0000"',
  '"😀"',
] as const;

/** Where a payload no longer lies in the database. */
const LARGE = 66_000;

/** Any JSON, as text: numbers, strings and keys that parsers, languages and databases disagree about. */
export function randomJson(random: SeededRandom, depth = 3): string {
  const roll = random.next();
  if (roll < 0.25) return random.pick(NUMBERS);
  if (roll < 0.5) return random.pick(STRINGS);
  if (roll < 0.65) return random.pick(["null", "true", "false"]);
  if (depth === 0) return random.pick(["[]", "{}", "[ ]", "{\n}"]);
  if (roll < 0.8) return `[${some(random, () => randomJson(random, depth - 1))}]`;
  return randomObject(random, depth);
}

/** Any JSON object, as text; a member may be there twice. */
export function randomObject(random: SeededRandom, depth = 3): string {
  if (random.chance(0.03)) return `{"large":"${"l".repeat(LARGE)}"}`;
  if (random.chance(0.01)) return `{"deep":${nested(500)}}`;
  const colon = random.pick([":", " : "]);
  return `{${some(random, () => `${random.pick(KEYS)}${colon}${randomJson(random, depth - 1)}`)}}`;
}

/** Arrays in each other. */
export function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

function some(random: SeededRandom, one: () => string): string {
  return Array.from({ length: random.integer(0, 4) }, one).join(random.pick([",", " ,\n\t"]));
}
