import { nextTurn } from "../../engine/next-turn.ts";
import { jsonAsString } from "./json-escape.ts";

/**
 * Splits JSON that is larger than `limit` bytes into JSON strings of at most `limit` bytes each. Joined, they
 * are the string if the JSON is one, otherwise the text of the JSON. The spec says that larger output is
 * split across chunks (4.A.3), but not how: decision 0004.
 */
export async function splitJson(json: Uint8Array, limit: number): Promise<Uint8Array[]> {
  if (json.length <= limit) return [json];
  const isString = json[0] === QUOTE;
  const string = isString ? json : await jsonAsString(json);
  const pieces: Uint8Array[] = [];
  for (let start = 1; start < string.length - 1;) {
    const end = cutBefore(string, start, start + limit - 2);
    pieces.push(Buffer.concat([Buffer.of(QUOTE), string.subarray(start, end), Buffer.of(QUOTE)]));
    start = end;
    await nextTurn();
  }
  return pieces;
}

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = "\\".charCodeAt(0);

/**
 * The last place up to `limit` between two characters of the JSON string. Escapes and surrogate pairs stay
 * whole.
 */
function cutBefore(string: Uint8Array, start: number, limit: number): number {
  let at = start;
  while (at < string.length - 1) {
    const next = at + characterLength(string, at);
    if (next > limit) break;
    at = next;
  }
  return at;
}

function characterLength(string: Uint8Array, at: number): number {
  const byte = string[at] ?? 0;
  if (byte === BACKSLASH) return escapeLength(string, at);
  if (byte < 0x80) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

function escapeLength(string: Uint8Array, at: number): number {
  if (string[at + 1] !== "u".charCodeAt(0)) return 2;
  const isHighSurrogate = /^d[89ab]/i.test(String.fromCharCode(string[at + 2] ?? 0, string[at + 3] ?? 0));
  const isPair = isHighSurrogate && string[at + 6] === BACKSLASH && string[at + 7] === "u".charCodeAt(0);
  return isPair ? 12 : 6;
}
