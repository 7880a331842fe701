import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Suite } from "../support/suites.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { Member } from "./member.ts";
import { runTests } from "./run-member.ts";
import { faultOf } from "./tree.ts";

const SUITE: Suite = { name: "unit", command: [], isQuick: true };
const HEAD = 'import { beforeAll, describe, expect, test } from "bun:test";';

async function verdictOn(body: string): Promise<{ readonly kind: string; readonly says: string }> {
  await using place = await temporaryDirectory();
  writeFileSync(join(place.path, "one.test.ts"), `${HEAD}\n${body}`);
  return (await runTests(place.path, SUITE, { suite: "unit", files: ["one.test.ts"] })).verdict;
}

describe("the zoo takes a build for caught", () => {
  test("when a test of its own fails", async () => {
    const body = 'describe("a", () => describe("b", () => test("c < d", () => expect(1).toBe(2))));';
    expect(await verdictOn(body)).toEqual({ kind: "caught", says: "a > b > c < d" });
  });

  test("when a test takes longer than its limit", async () => {
    const body = 'test("waits", () => new Promise(() => undefined), 50);';
    expect(await verdictOn(body)).toEqual({ kind: "caught", says: "waits" });
  });

  test("but not when the build cannot be loaded, a name is missing or a hook fails", async () => {
    const bodies = [
      'import { missing } from "./one.test.ts"; test("a", () => missing());',
      'import "./nowhere.ts"; test("a", () => expect(1).toBe(2));',
      'test("a", () => { const b = ; });',
      'test("a", () => missing());',
      'beforeAll(() => { throw new Error("no"); }); test("a", () => undefined);',
      "",
    ];
    const verdicts = await Promise.all(bodies.map(verdictOn));
    expect(verdicts.map(({ kind }) => kind)).toEqual(bodies.map(() => "broken down"));
  }, 20_000);

  test("and not when all its tests pass", async () => {
    expect((await verdictOn('test("a", () => undefined);')).kind).toBe("passed");
  });
});

describe("a member of the zoo", () => {
  const suite: Suite = { name: "some", command: ["bun", "test", "./test/some"], isQuick: true };
  const member: Member = {
    name: "one for two",
    breaks: "Two is two",
    file: "src/two.ts",
    replace: "= 2",
    by: "= 1",
    caughtBy: { suite: "some", files: ["test/some/two.test.ts"] },
  };
  const caughtBy = (...files: string[]): Partial<Member> => ({ caughtBy: { suite: "some", files } });
  const faults: readonly (readonly [Partial<Member>, string])[] = [
    [{ file: "src/none.ts" }, "there is no file src/none.ts in src"],
    [{ file: "test/other.test.ts" }, "there is no file test/other.test.ts in src"],
    [{ by: member.replace }, "it breaks nothing"],
    [{ replace: "= 3" }, "the text to replace occurs 0 times in src/two.ts, not once"],
    [{ replace: "two" }, "the text to replace occurs 2 times in src/two.ts, not once"],
    [caughtBy("test/some/none.test.ts"), "there is no test file test/some/none.test.ts"],
    [caughtBy("test/other.test.ts"), 'test/other.test.ts does not belong to the suite "some"'],
    [caughtBy(), "it names no test file"],
  ];

  test("names a text that occurs once, and test files of its suite", async () => {
    await using place = await temporaryDirectory();
    for (const [path, text] of [
      ["src/two.ts", "const two = 2; export { two };"],
      ["test/some/two.test.ts", ""],
      ["test/other.test.ts", ""],
    ] as const) {
      mkdirSync(dirname(join(place.path, path)), { recursive: true });
      writeFileSync(join(place.path, path), text);
    }
    expect(faultOf(member, suite, place.path)).toBeUndefined();
    for (const [change, says] of faults) {
      expect(faultOf({ ...member, ...change }, suite, place.path)).toBe(says);
    }
    expect(faultOf(member, undefined, place.path)).toBe('there is no suite "some"');
  });
});
