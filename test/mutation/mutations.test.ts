import { describe, expect, test } from "bun:test";
import { instrument } from "./instrument.ts";
import { shownChange } from "./mutant.ts";
import { table } from "./table.ts";

const changesOf = (source: string): string[] =>
  instrument("sample.ts", source, 1).mutants.map((mutant) => shownChange(mutant, source));

const CASES: readonly (readonly [name: string, source: string, changes: readonly string[]])[] = [
  ["a comparison", "f = a < b;", ["a < b -> a <= b", "a < b -> a >= b"]],
  ["an equality", "f = a === b;", ["a === b -> a !== b"]],
  ["arithmetic", "f = a + b;", ["a + b -> a - b"]],
  ["logic", "f = a && b;", ["a && b -> a", "a && b -> b"]],
  ["what stands in for a missing value", "f = a ?? b;", ["a ?? b -> a", "a ?? b -> b"]],
  ["a negation", "f = !a;", ["!a -> a"]],
  ["a choice", "f = a ? b : c;", ["a ? b : c -> !(a) ? b : c"]],
  ["the condition of an if", "if (a) b;", ["a -> !(a)"]],
  ["a boolean", "f = true;", ["true -> false"]],
  ["a number", "f = 7;", ["7 -> 7 + 1"]],
  ["a text", 'f = "x";', ['"x" -> ""']],
  ["a template", "f = `x${y}`;", ["`x${y}` -> ``"]],
  ["a list", "f = [a];", ["[a] -> []"]],
  ["a counter", "f = a++;", ["a++ -> a--"]],
  ["an assignment with an operator", "f = (a += b);", ["a += b -> a -= b"]],
  ["the smaller of two", "f = Math.min(a, b);", ["Math.min(a, b) -> Math.max(a, b)"]],
  ["some of a list", "f = a.some(b);", ["a.some(b) -> a.every(b)"]],
  ["a filter", "f = a.filter(b);", ["a.filter(b) -> a"]],
  ["a member of an object", "f = { a, b: c };", ["a -> (nothing)", "b: c -> (nothing)"]],
];

const STATEMENTS: readonly (readonly [name: string, source: string, change: string])[] = [
  ["a call", "a();", "a(); -> (nothing)"],
  ["a throw", "throw a;", "throw a; -> (nothing)"],
  ["an early return", "function f() { if (a !== b) return c; return d; }", "return c; -> (nothing)"],
];

const STATEMENT = "const sql = `SELECT a FROM job WHERE b = 1 AND c <= 2 ORDER BY d LIMIT 1`;";

describe("each mutator changes what it is for", () => {
  test.each(CASES)("%s", (_name, source, changes) => {
    expect(changesOf(source).filter((change) => !change.endsWith("; -> (nothing)"))).toEqual([...changes]);
  });

  test.each(STATEMENTS)("%s is removed", (_name, source, change) => {
    expect(changesOf(source)).toContain(change);
  });

  test("SQL: each condition, boundary and order", () => {
    const texts = instrument("sample.ts", STATEMENT, 1).mutants.map(({ text }) => text);
    expect(texts).toEqual([
      "`SELECT a FROM job WHERE b = 1 AND c < 2 ORDER BY d LIMIT 1`",
      "`SELECT a FROM job WHERE b = 1 AND c <= 2 ORDER BY d DESC LIMIT 1`",
      "`SELECT a FROM job WHERE (1 = 1 OR (b = 1 ))AND c <= 2 ORDER BY d LIMIT 1`",
      "`SELECT a FROM job WHERE b = 1 AND (1 = 1 OR (c <= 2 ))ORDER BY d LIMIT 1`",
    ]);
  });

  test("SQL: each column of SET keeps its value, and the statement its parameters", () => {
    const texts = instrument("sample.ts", "f = `UPDATE job SET a = ?1, b = ?2`", 1).mutants.map(
      ({ text }) => text,
    );
    expect(texts).toContain("`UPDATE job SET a = CASE WHEN 1 = 1 THEN a ELSE ?1 END, b = ?2`");
    expect(texts).toContain("`UPDATE job SET a = ?1, b = CASE WHEN 1 = 1 THEN b ELSE ?2 END`");
  });
});

describe("where nothing can be changed", () => {
  const NONE = [
    'import { a } from "a";',
    "type A = { readonly b: 1 | 2 };",
    "const { a, b = c } = d;",
    'function f() { return new Error("a sentence"); }',
    "const f = a?.b.filter(c).length;",
  ];

  test.each(NONE)("%s", (source) => {
    expect(changesOf(source)).toEqual([]);
  });
});

describe("the instrumented file", () => {
  const SOURCE = `export function f(a: number, b: number): object {
  if (a < b) return { less: a, more: b ?? [1] };
  throw new Error(\`\${a}\`);
}`;

  const run = (active: number, a: number, b: number): unknown => {
    const { text } = instrument("sample.ts", SOURCE, 1);
    const code = new Bun.Transpiler({ loader: "ts" }).transformSync(
      text.replace("export function", "function"),
    );
    return new Function("__mutant", "a", "b", `${code}; return f(a, b);`)(
      (id: number) => id === active,
      a,
      b,
    );
  };
  const idOf = (change: string): number => {
    const { mutants } = instrument("sample.ts", SOURCE, 1);
    return mutants.find((mutant) => shownChange(mutant, SOURCE) === change)?.id ?? Number.NaN;
  };

  test("does as the original when none is active", () => {
    expect(run(0, 1, 2)).toEqual({ less: 1, more: 2 });
    expect(() => run(0, 2, 2)).toThrow("2");
  });

  test("does as the one mutant that is active", () => {
    expect(run(idOf("a < b -> a <= b"), 2, 2)).toEqual({ less: 2, more: 2 });
    expect(run(idOf("less: a -> (nothing)"), 1, 2)).toEqual({ more: 2 });
    expect(run(idOf("throw new Error(`${a}`); -> (nothing)"), 2, 2)).toBeUndefined();
    expect(() => run(idOf("return { less: a, more: b ?? [1] }; -> (nothing)"), 1, 2)).toThrow("1");
  });

  test("has the lines of the original", () => {
    const { text, mutants } = instrument("sample.ts", SOURCE, 1);
    expect(text.split("\n")).toHaveLength(SOURCE.split("\n").length);
    expect(mutants.find(({ form, text }) => form === "statement" && text === "{}")?.line).toBe(2);
  });
});

test("the table counts those that the compiler refuses neither as killed nor as alive", () => {
  const [mutant] = instrument("sample.ts", "f = a < b;", 1).mutants;
  if (mutant === undefined) throw new Error("the comparison has no mutant");
  const judged = (["killed", "killed", "killed", "survived", "refused"] as const).map((is) => ({
    mutant,
    is,
  }));
  expect(table(judged).split("\n").at(-1)?.replaceAll(/\s+/g, " ")).toBe(" 3 1 0 1 75.0 % all");
});
