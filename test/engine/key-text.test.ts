import { expect, test } from "bun:test";
import { keyIdOf, newKeyText } from "../../src/engine/key-text.ts";

const ID = "abcdefghij0123";

test("a key tells its id, and nothing that differs from it in one character does", () => {
  const text = newKeyText(ID);
  expect(text).toMatch(/^fbk_abcdefghij0123_[\w-]{43}[0-9a-f]{8}$/);
  expect(keyIdOf(text)).toBe(ID);
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === "a" ? "b" : "a";
    expect(keyIdOf(text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined();
  }
  for (const wrong of ["", text.slice(0, -1), `${text}0`, ` ${text}`]) expect(keyIdOf(wrong)).toBeUndefined();
});
