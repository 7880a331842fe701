import { ForebayError } from "../../domain/errors.ts";

/** The UTF-16 code unit of the escape `\\uXXXX` at `at`; undefined if its digits are incomplete. */
export function codeUnit(bytes: Uint8Array, at: number): number | undefined {
  let unit = 0;
  for (let i = at + 2; i < at + 6; i++) {
    const digit = digitOf(bytes[i] ?? 0);
    if (digit === undefined) return undefined;
    unit = unit * 16 + digit;
  }
  return unit;
}

/**
 * The bytes of the escapes of a surrogate pair, whose first begins at `at`. Throws INVALID_FIELD if half of
 * the pair is missing: workers in Python could read it, and could not send it back.
 */
export function pairLength(bytes: Uint8Array, at: number): number {
  const [high = 0, low = 0] = [codeUnit(bytes, at), isEscape(bytes, at + 6) ? codeUnit(bytes, at + 6) : 0];
  if ((high & 0xfc00) === 0xd800 && (low & 0xfc00) === 0xdc00) return 12;
  throw new ForebayError(
    "INVALID_FIELD",
    `The body has half of a character (\\u${high.toString(16)}) at byte ${at}. Send the whole character.`,
  );
}

function isEscape(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x5c && bytes[at + 1] === 0x75;
}

function digitOf(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}
