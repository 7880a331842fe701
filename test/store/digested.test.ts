import { expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import { isStored, type Payload, sizeOf } from "../../src/domain/payload.ts";
import { checkedPayload, sizeWithoutDigest, withDigest } from "../../src/store/digested.ts";

const TEXTS = ["", "1", '{"input":{"a":[1,2,3]}}', " \n\t[]"];

for (const text of TEXTS) {
  const bytes = Buffer.from(text);

  test(`invariant 5: ${JSON.stringify(text)} comes out of a row as it went in, with its size`, () => {
    const stored = withDigest(bytes);
    expect(textOf(checkedPayload(stored, "here"))).toBe(text);
    expect(sizeWithoutDigest(stored)).toBe(bytes.length);
  });

  test(`invariant 5: every single byte of ${JSON.stringify(text)} in a row is checked`, () => {
    const stored = withDigest(bytes);
    for (const index of stored.keys()) {
      for (let other = 1; other < 256; other++) {
        const damaged = Uint8Array.from(stored, (byte, at) => (at === index ? byte ^ other : byte));
        const payload = checkedPayload(damaged, "here");
        expect(isStored(payload) && payload.damage?.startsWith("here")).toBe(true);
        expect(sizeOf(payload)).toBe(bytes.length);
      }
    }
  });

  test(`invariant 5: ${JSON.stringify(text)} without a digest, as version 0.1 wrote it, is read`, () => {
    expect(textOf(checkedPayload(bytes, "here"))).toBe(text);
    expect(sizeWithoutDigest(bytes)).toBe(bytes.length);
  });
}

test("invariant 5: a row that was cut off is damaged", () => {
  const stored = withDigest(Buffer.from('{"input":1}'));
  for (let length = 3; length < stored.length; length++) {
    expect(isStored(checkedPayload(stored.subarray(0, length), "here"))).toBe(true);
  }
});

test("the format stays: a mark of four bytes, the CRC-32 in network order, the bytes", () => {
  const bytes = Buffer.from("payload");
  const expected = Buffer.concat([Buffer.from("c1fe4601", "hex"), Buffer.alloc(4), bytes]);
  expected.writeUInt32BE(crc32(bytes), 4);
  expect(Buffer.from(withDigest(bytes)).equals(expected)).toBe(true);
});

function textOf(payload: Payload): string {
  if (isStored(payload)) throw new Error(payload.damage);
  return Buffer.from(payload).toString();
}
