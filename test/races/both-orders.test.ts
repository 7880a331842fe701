import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The races that each have a test for either order, named like "R5, retry first: …".
 */
const RACES = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
  30,
];

test("every race is run in both orders", () => {
  const tests = readdirSync(join(import.meta.dir, ".."), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(import.meta.dir, "..", path), "utf8"));
  const orders = new Map<string, Set<string>>(RACES.map((number) => [`R${number}`, new Set()]));
  for (const [, race = "", first = ""] of tests.join("\n").matchAll(/"(R[0-9]+), ([a-z -]+) first: /g))
    orders.get(race)?.add(first);
  const incomplete = [...orders].filter(([, firsts]) => firsts.size < 2).map(([race]) => race);
  expect(incomplete).toEqual([]);
});
