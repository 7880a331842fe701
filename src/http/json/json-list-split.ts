import { nextTurn } from "../../engine/next-turn.ts";

/**
 * Splits a JSON list between its elements into lists of at most `limit` bytes. The elements stay as they were
 * sent. Undefined if one of them is larger. The caller has checked that it is JSON.
 */
export async function splitJsonList(json: Uint8Array, limit: number): Promise<Uint8Array[] | undefined> {
  const lists: Uint8Array[] = [];
  const end = json.length - 1;
  for (let start = 1; start < end;) {
    const cut = lastCommaWithin(json, start, Math.min(start + limit - BRACKETS, end));
    if (cut === undefined) return undefined;
    lists.push(Buffer.concat([Buffer.from("["), json.subarray(start, cut), Buffer.from("]")]));
    start = cut + 1;
    await nextTurn();
  }
  return lists;
}

const BRACKETS = "[]".length;

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = "\\".charCodeAt(0);
const COMMA = ",".charCodeAt(0);
const OPENING = new Set(Buffer.from("[{"));
const CLOSING = new Set(Buffer.from("]}"));

/** The last place up to `limit` where an element ends: a comma, or the end of the list. */
function lastCommaWithin(json: Uint8Array, start: number, limit: number): number | undefined {
  let level = 0;
  let isInString = false;
  let last: number | undefined;
  for (let at = start; at <= limit; at++) {
    const byte = json[at] ?? 0;
    if (isInString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (level === 0 && (byte === COMMA || at === json.length - 1)) last = at;
    else if (OPENING.has(byte)) level++;
    else if (CLOSING.has(byte)) level--;
  }
  return last;
}
