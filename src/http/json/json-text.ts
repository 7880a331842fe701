import { ForebayError } from "../../domain/errors.ts";
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

/** All members of an object by name. Throws INVALID_FIELD if a name stands in it more than once. */
export function membersOf(object: JsonNode, place: string): Map<string, JsonNode> {
  const members = new Map<string, JsonNode>();
  for (const member of object.children) {
    const key = member.key ?? "";
    if (members.has(key)) {
      throw new ForebayError("INVALID_FIELD", `${key} stands in ${place} more than once.`);
    }
    members.set(key, member);
  }
  return members;
}
