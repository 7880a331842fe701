import * as fc from "fast-check";
import { describe, expect, test } from "bun:test";
import { scanJson } from "../../src/http/json/json-scan.ts";
import { splitJsonList } from "../../src/http/json/json-list-split.ts";
import { splitJson } from "../../src/http/json/json-split.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("the scanner", () => {
  const verdict = async (json: string | Uint8Array): Promise<boolean> =>
    Promise.try(() => scanJson(typeof json === "string" ? bytes(json) : json, 2)).then(
      () => true,
      () => false,
    );

  const parses = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };

  const DOCUMENTS = [
    '{"a":[1,-2.5e+3,true,false,null,"\\u00e9\\n\\"",{}],"b":{"c":[[]]}}',
    '[0,1.5,-0,10E-2,"",[{"":0}]]',
    '"\\ud83d\\ude00 é😀"',
    " \n\t\r[ 1 , { } , [ ] ] ",
    "3",
    "null",
  ];

  const PLAIN_ENDS = [
    ['"', true],
    [`😀${"x".repeat(80)}"`, true],
    [`\\n${"x".repeat(80)}\\""`, true],
    ["", false],
    ['""', false],
    ['\u001f"', false],
    ['\u0000"', false],
    ['\\"', false],
    [`\n${"x".repeat(80)}"`, false],
  ] as const;

  test("agrees with JSON.parse about documents broken in every place", async () => {
    const alphabet = [
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "0",
      "1",
      "-",
      "+",
      ".",
      "e",
      "u",
      "t",
      "n",
      " ",
      "\u0001",
    ];
    for (const document of DOCUMENTS) {
      expect(await verdict(document)).toBe(true);
      for (let at = 0; at <= document.length; at++) {
        const cut = document.slice(0, at) + document.slice(at + 1);
        expect([cut, await verdict(cut)]).toEqual([cut, parses(cut)]);
        for (const sign of alphabet) {
          const added = document.slice(0, at) + sign + document.slice(at);
          expect([added, await verdict(added)]).toEqual([added, parses(added)]);
        }
      }
    }
  });

  test.each([0, 1, 2, 3])(
    "finds what ends the plain text of a long string, wherever it stands",
    async (shift) => {
      for (let length = 50; length < 130; length++) {
        const plain = "é" + "~ \u007f".repeat(length).slice(0, length);
        for (const [rest, isJson] of PLAIN_ENDS) {
          const text = `${" ".repeat(shift)}"${plain}${rest}`;
          expect([text, await verdict(text)]).toEqual([text, isJson]);
        }
      }
    },
  );

  test("finds the places of the members, down to the depth asked for", async () => {
    const text = '{"a":[1,{"b":2}], "\\u0063":"x"}';
    const root = await scanJson(bytes(text), 1);
    const told = root.children.map(({ key, type, keyStart, start, end }) => [
      key,
      type,
      text.slice(keyStart, end),
      text.slice(start, end),
    ]);
    expect(told).toEqual([
      ["a", "array", '"a":[1,{"b":2}]', '[1,{"b":2}]'],
      ["c", "string", '"\\u0063":"x"', '"x"'],
    ]);
    expect(root.children[0]?.children).toEqual([]);
    const deep = await scanJson(bytes(text), 3);
    expect(deep.children[0]?.children[1]?.children[0]).toMatchObject({ key: "b", type: "number" });
  });

  test("refuses nesting deeper than 512 without having read the rest", async () => {
    expect(await verdict("[".repeat(512) + "]".repeat(512))).toBe(true);
    const bomb = new Uint8Array(10_000_000).fill("[".charCodeAt(0));
    expect(() => scanJson(bomb, 1)).toThrow("nested deeper than 512");
  });

  test("scans the small at once, and one slice of the large in each round of the event loop", async () => {
    expect(scanJson(bytes(`"${"x".repeat(100_000)}"`), 1)).not.toBeInstanceOf(Promise);
    const megabytes = bytes(`{"a":[${"[],".repeat(1_300_000)}[]]}`);
    let rounds = 0;
    let isOver = false;
    const count = (): void => {
      rounds++;
      if (!isOver) setImmediate(count);
    };
    count();
    await Promise.all([scanJson(megabytes, 1), scanJson(megabytes, 1)]);
    isOver = true;
    // Each takes 20 ms at least.
    expect(rounds).toBeGreaterThan(40);
  });

  test("takes a token for what it is wherever a slice ends in it", async () => {
    const tokens = '"\\u00e9\\\\\\"é😀",-12.5e+3,true,{"\\u0061":null}';
    for (let shift = 0; shift <= tokens.length + 8; shift++) {
      const text = `["${"x".repeat(131_072 - 4 - shift)}",${tokens}]`;
      const root = await scanJson(bytes(text), 2);
      expect(root.children.map(({ type }) => type)).toEqual([
        "string",
        "string",
        "number",
        "literal",
        "object",
      ]);
      expect(root.children[4]?.children[0]).toMatchObject({ key: "a", type: "literal" });
      expect(await verdict(text.slice(0, -1))).toBe(false);
      expect(await verdict(`${text}]`)).toBe(false);
    }
  });

  test("refuses names and numbers that are too long to be looked at in one go", async () => {
    const long = "1".repeat(70_000);
    expect(await verdict(`{"${long}":1}`)).toBe(false);
    expect(await verdict(`{"a":{"b":{"c":{"${long}":1}}}}`)).toBe(true);
    expect(await verdict(long)).toBe(false);
    expect(await verdict(`1.${long}`)).toBe(false);
    expect(await verdict("1".repeat(65_536))).toBe(true);
  });

  test("refuses more members than it may return", async () => {
    expect(() => scanJson(bytes(`[${"0,".repeat(20_001)}0]`), 1)).toThrow("more than 20000 members");
    expect(await scanJson(bytes(`[[${"[0],".repeat(20_001)}0]]`), 1)).toMatchObject({ type: "array" });
  });
});

describe("the splitter", () => {
  test.each([
    ["escapes", '"\\n\\u00e9\\"\\\\x"'],
    ["surrogate pairs as escapes", `"${"\\ud83d\\ude00".repeat(5)}"`],
    ["characters of every length", '"aé€😀aé€😀"'],
    ["a lone surrogate", '"\\ud83d\\ud83dx"'],
  ])("cuts a string with %s only between characters", async (_name, json) => {
    for (let limit = 14; limit < json.length; limit++) {
      const pieces = await splitJson(bytes(json), limit);
      for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(limit);
      const joined = pieces.map((piece) => JSON.parse(new TextDecoder().decode(piece))).join("");
      expect(joined).toBe(JSON.parse(json));
    }
  });

  test("cuts a list only between its elements, which stay as they were sent", async () => {
    const list = fc.array(fc.jsonValue(), { minLength: 2, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(list, fc.nat(60), fc.constantFrom(0, 2), async (values, limit, indent) => {
        const json = JSON.stringify(values, undefined, indent);
        const lists = await splitJsonList(bytes(json), limit);
        const longest = Math.max(...values.map((value) => bytes(JSON.stringify(value)).length));
        if (lists === undefined && indent === 0) expect(longest).toBeGreaterThan(limit - 2);
        for (const piece of lists ?? []) expect(piece.length).toBeLessThanOrEqual(limit);
        if (lists === undefined) return;
        const joined = lists.flatMap((piece) => JSON.parse(new TextDecoder().decode(piece)) as unknown[]);
        expect(joined).toEqual(JSON.parse(json));
      }),
      { numRuns: 2_000 },
    );
  });
});
