import { nextTurn } from "../../engine/next-turn.ts";
import { JsonReader, type JsonNode } from "./json-reader.ts";

export type { JsonNode };

/**
 * Scanned in one go, half a millisecond's work; after that others get their turn. Smaller documents are
 * scanned at once.
 */
const SLICE = 131_072;

/**
 * The document in `bytes`. `depth` says for how many levels of containers the children are told: 0 none, 1
 * those of the root. Throws MALFORMED_JSON.
 */
export function scanJson(bytes: Uint8Array, depth: number): JsonNode | Promise<JsonNode> {
  const reader = new JsonReader(bytes, depth);
  return reader.advance(SLICE) ? reader.root : scanOn(reader);
}

/** The same of a document that is known to have at most 128 kB. Throws RangeError otherwise. */
export function scanSmallJson(bytes: Uint8Array, depth: number): JsonNode {
  const reader = new JsonReader(bytes, depth);
  if (reader.advance(SLICE)) return reader.root;
  throw new RangeError(`a document of ${bytes.length} bytes is scanned in slices`);
}

async function scanOn(reader: JsonReader): Promise<JsonNode> {
  do await nextTurn();
  while (!reader.advance(SLICE));
  return reader.root;
}
