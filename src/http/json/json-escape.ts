import { nextTurn } from "../../engine/next-turn.ts";

/** A text as the bytes of a JSON string. */
export function jsonString(text: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(text));
}

/** How much is escaped at once, bytes. */
const SLICE = 65_536;

/** JSON, as the text of a JSON string; large JSON in slices. */
export async function jsonAsString(json: Uint8Array): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [QUOTE];
  for (let start = 0; start < json.length; start += SLICE) {
    if (start > 0) await nextTurn();
    pieces.push(escaped(json.subarray(start, start + SLICE)));
  }
  return Buffer.concat([...pieces, QUOTE]);
}

const QUOTE = Buffer.from('"');
const BACKSLASH = "\\".charCodeAt(0);
/** What must be escaped when JSON becomes the text of a string: quotes, backslashes and white space. */
const ESCAPES = new Map(
  ['"', "\\", "\n", "\r", "\t"].map((sign) => [sign.charCodeAt(0), JSON.stringify(sign).charCodeAt(2)]),
);

/** No byte of a longer character is escaped, so a slice can end within one. */
function escaped(json: Uint8Array): Uint8Array {
  const text = Buffer.allocUnsafe(2 * json.length);
  let length = 0;
  for (const byte of json) {
    const escape = byte <= BACKSLASH ? ESCAPES.get(byte) : undefined;
    if (escape !== undefined) text[length++] = BACKSLASH;
    text[length++] = escape ?? byte;
  }
  return text.subarray(0, length);
}
