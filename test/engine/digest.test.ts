import { expect, test } from "bun:test";
import {
  digestOf,
  keyIdOf,
  newKeyText,
  newRecordId,
  newSecret,
  newWorkerSecret,
} from "../../src/engine/digest.ts";

test("ids and secrets have the length and the characters that clients and secret scanners know", () => {
  expect(newRecordId()).toMatch(/^[a-z0-9]{14}$/);
  expect(newSecret()).toMatch(/^[\w-]{43}$/);
  expect(newWorkerSecret()).toMatch(/^fbw_[\w-]{43}$/);
  expect(digestOf("secret")).toBe("2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b");
});

test("no two ids and no two secrets are the same", () => {
  for (const make of [newRecordId, newSecret, newWorkerSecret]) {
    expect(new Set(Array.from({ length: 1_000 }, make)).size).toBe(1_000);
  }
});

const ID = "abcdefghij0123";

test("the id of a key is in its text, and one wrong character in it is noticed", () => {
  const text = newKeyText(ID);
  expect(text).toMatch(/^fbk_abcdefghij0123_[\w-]{43}[0-9a-f]{8}$/);
  expect(keyIdOf(text)).toBe(ID);
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === "a" ? "b" : "a";
    expect(keyIdOf(text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined();
  }
  for (const wrong of ["", text.slice(0, -1), `${text}0`, ` ${text}`]) expect(keyIdOf(wrong)).toBeUndefined();
});
