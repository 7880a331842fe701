/**
 * A place from `from` on, at most `limit`, before which a JSON string has only plain text: no quote, no
 * backslash and no control character. It looks at 16 bytes at a time, which is several times as fast as one
 * by one, and stops before the first 16 that are not all plain.
 */
export function skipPlainText(bytes: Uint8Array, from: number, limit: number): number {
  const { buffer, byteOffset } = bytes;
  // Aligned, whatever part of its memory `bytes` is. So the first word can begin before `from`.
  const words = new Int32Array(buffer, 0, buffer.byteLength >>> 2);
  const end = (byteOffset + limit) >>> 2;
  let at = (byteOffset + from) >>> 2;
  while (at + 4 <= end) {
    const first = special(words[at] ?? 0) | special(words[at + 1] ?? 0);
    if ((first | special(words[at + 2] ?? 0) | special(words[at + 3] ?? 0)) !== 0) break;
    at += 4;
  }
  return Math.max(from, at * 4 - byteOffset);
}

/** In each byte of a word: 1, a blank, a quote, a backslash, the highest bit. */
const ONES = 0x01010101;
const BLANKS = 0x20202020;
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;
const HIGHEST = 0x80808080 | 0;

/**
 * Not 0 if one of the four bytes is special: what is subtracted borrows from its highest bit. Bytes that have
 * this bit themselves are parts of longer characters.
 */
function special(word: number): number {
  const control = (word - BLANKS) | 0;
  const quote = ((word ^ QUOTES) - ONES) | 0;
  const backslash = ((word ^ BACKSLASHES) - ONES) | 0;
  return (control | quote | backslash) & ~word & HIGHEST;
}
