/** The bytes that the grammar of JSON tells apart (RFC 8259). */
const encoder = new TextEncoder();
export const TRUE = encoder.encode("true");
export const FALSE = encoder.encode("false");
export const NULL = encoder.encode("null");
/** What may stand behind a backslash, beside `u`. */
export const ESCAPED = encoder.encode('"\\/bfnrt');

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** A byte of a character that is not its first (RFC 3629). */
export function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

export function isHex(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
