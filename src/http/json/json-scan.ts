import { nextTurn } from "../../engine/next-turn.ts";
import type { JsonNode } from "./json-node.ts";
import { JsonReader } from "./json-reader.ts";

/** How many bytes are scanned before the event loop gets its turn; they take about 0.5 ms. */
const SLICE = 131_072;

/** As many bytes of plain text count as one. */
const PLAIN = 8;

/** How many bytes of a large document are scanned before we count again. */
const STEP = 32_768;

/**
 * The root of the document in `bytes`, at once if it is small. `depth` is how many levels of containers get
 * nodes for their children: 0 none, 1 the root alone. Throws MALFORMED_JSON; and INVALID_FIELD if it goes to
 * workers and has half of a character.
 */
export function scanJson(
  bytes: Uint8Array,
  depth: number,
  isForWorkers = false,
): JsonNode | Promise<JsonNode> {
  const reader = new JsonReader(bytes, depth, isForWorkers);
  return reader.advance(SLICE) ? reader.root : scanOn(reader);
}

/** The same for a document of at most 128 kB. Throws RangeError for a larger one. */
export function scanSmallJson(bytes: Uint8Array, depth: number): JsonNode {
  const reader = new JsonReader(bytes, depth, false);
  if (reader.advance(SLICE)) return reader.root;
  throw new RangeError(`a document of ${bytes.length} bytes is scanned in slices`);
}

async function scanOn(reader: JsonReader): Promise<JsonNode> {
  do await nextTurn();
  while (!scanTurn(reader));
  return reader.root;
}

/** Scans a slice, which is longer the more of it is plain text; true when all has been scanned. */
function scanTurn(reader: JsonReader): boolean {
  let left = SLICE;
  while (left > 0) {
    const before = reader.skipped;
    if (reader.advance(STEP)) return true;
    left -= STEP - (reader.skipped - before) * (1 - 1 / PLAIN);
  }
  return false;
}
