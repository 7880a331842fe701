import { ForebayError } from "../../domain/errors.ts";

/** The place of a value in the bytes of a JSON document. */
export interface JsonNode {
  readonly type: "object" | "array" | "string" | "number" | "literal";
  /** Name of the member; undefined for the root and for elements of an array. */
  readonly key: string | undefined;
  /** First byte of the member: the quote of its key; of the value if there is no key. */
  readonly keyStart: number;
  /** First byte of the value. */
  readonly start: number;
  /** The place after the last byte of the value. */
  end: number;
  /** Members or elements; empty below the depth that was scanned. */
  readonly children: JsonNode[];
}

/** Shared, because creating one costs more than it decodes here. */
const DECODER = new TextDecoder();

/** Nothing that we parse into a value is larger, bytes. */
const SMALL = 65_536;

/** Stands for a value that is too large to be parsed. */
export const LARGE = Symbol("a large value");

/** The value of a node; LARGE if it has more than 64 kB. */
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

/** The text of the JSON string from `start` to `end`, quotes included. */
export function stringText(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x5c || byte > 0x7e) return JSON.parse(DECODER.decode(bytes.subarray(start, end)));
    text += String.fromCharCode(byte);
  }
  return text;
}

export function isNull(bytes: Uint8Array, node: JsonNode | undefined): boolean {
  return node?.type === "literal" && bytes[node.start] === "n".charCodeAt(0);
}

export function memberOf(object: JsonNode, key: string): JsonNode | undefined {
  return object.children.find((member) => member.key === key);
}

/** All members of an object by name. Throws INVALID_FIELD if a name is in it more than once. */
export function membersOf(object: JsonNode, place: string): Map<string, JsonNode> {
  const members = new Map<string, JsonNode>();
  for (const member of object.children) {
    const key = member.key ?? "";
    if (members.has(key)) {
      throw new ForebayError("INVALID_FIELD", `${key} is in ${place} more than once. Give it once.`);
    }
    members.set(key, member);
  }
  return members;
}
