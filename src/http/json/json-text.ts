import type { JsonNode } from "./json-scan.ts";

/** The value of a node that is known to be small. */
export function valueOf(bytes: Uint8Array, node: JsonNode): unknown {
  return JSON.parse(textOf(bytes, node));
}

/** The JSON of a node as text. */
export function textOf(bytes: Uint8Array, { start, end }: JsonNode): string {
  return new TextDecoder().decode(bytes.subarray(start, end));
}

export function isNull(bytes: Uint8Array, node: JsonNode | undefined): boolean {
  return node?.type === "literal" && bytes[node.start] === "n".charCodeAt(0);
}

export function memberOf(object: JsonNode, key: string): JsonNode | undefined {
  return object.children.find((member) => member.key === key);
}
