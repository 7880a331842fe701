import { nextTurn } from "../../engine/next-turn.ts";
import type { JsonNode } from "./json-reader.ts";

/** Made once: it costs more than what it decodes. */
const DECODER = new TextDecoder();

/** Larger values are never what is asked for here, and would be built in one go. */
const SMALL = 65_536;

/** Stands for a value that is too large to be what is asked for. */
export const LARGE = Symbol("a large value");

/** The value of a node that is to be small; LARGE when it is not. */
export function valueOf(bytes: Uint8Array, node: JsonNode): unknown {
  return node.end - node.start > SMALL ? LARGE : JSON.parse(textOf(bytes, node));
}

/** The JSON of a node. */
export function spanOf(bytes: Uint8Array, { start, end }: JsonNode): Uint8Array {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

/** The JSON of a node as text. */
export function textOf(bytes: Uint8Array, { start, end }: JsonNode): string {
  return DECODER.decode(bytes.subarray(start, end));
}

export function isNull(bytes: Uint8Array, node: JsonNode | undefined): boolean {
  return node?.type === "literal" && bytes[node.start] === "n".charCodeAt(0);
}

export function memberOf(object: JsonNode, key: string): JsonNode | undefined {
  return object.children.find((member) => member.key === key);
}

/** A text as the bytes of a JSON string. */
export function jsonString(text: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(text));
}

/** JSON, as the text of a JSON string; large JSON in slices. */
export async function jsonAsString(json: Uint8Array): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [QUOTE];
  for (let start = 0; start < json.length; start += SMALL) {
    if (start > 0) await nextTurn();
    pieces.push(escaped(json.subarray(start, start + SMALL)));
  }
  return Buffer.concat([...pieces, QUOTE]);
}

const QUOTE = Buffer.from('"');
const BACKSLASH = "\\".charCodeAt(0);
/** What has to be escaped in JSON that becomes text: all that JSON has outside of its strings, and quotes. */
const ESCAPES = new Map(
  ['"', "\\", "\n", "\r", "\t"].map((sign) => [sign.charCodeAt(0), JSON.stringify(sign).charCodeAt(2)]),
);

/** Characters of several bytes have none that is escaped, so a slice may end within one. */
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
