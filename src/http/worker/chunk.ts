import { ForebayError } from "../../domain/errors.ts";
import type { Soon } from "../../domain/soon.ts";
import { MB } from "../body.ts";
import { type JsonNode, memberOf, spanOf } from "../json/json-node.ts";
import { scanJson } from "../json/json-scan.ts";
import { splitJsonList } from "../json/json-list-split.ts";
import { splitJson } from "../json/json-split.ts";

/** Spec 4.A.3: the largest chunk. */
export const CHUNK_LIMIT = MB;

/**
 * The chunks of one yield: its `output`, and its `metrics` if it has some, as they were sent. A yield that is
 * larger than a chunk is split, and its metrics follow in chunks of their own. Text is split between
 * characters, a list between elements. Pieces of anything else have their number and count: `part` of
 * `parts`. Throws MALFORMED_JSON.
 */
export async function parseYield(bytes: Uint8Array): Promise<Uint8Array[]> {
  const root = await scanJson(bytes, 1);
  if (root.type !== "object") throw new ForebayError("MALFORMED_JSON", "The chunk must be a JSON object.");
  return chunksOf(bytes, root);
}

/** The same for a yield that is already scanned; without a promise if it is not split. */
export function chunksOf(bytes: Uint8Array, root: JsonNode): Soon<Uint8Array[]> {
  const output = memberOf(root, "output");
  const metrics = memberOf(root, "metrics");
  const whole = chunkOf(wholeOf(bytes, output), wholeOf(bytes, metrics));
  return whole.length <= CHUNK_LIMIT ? [whole] : splitChunks(bytes, output, metrics);
}

async function splitChunks(
  bytes: Uint8Array,
  output: JsonNode | undefined,
  metrics: JsonNode | undefined,
): Promise<Uint8Array[]> {
  return [
    ...(await piecesOf(bytes, output)).map((piece) => chunkOf(piece, undefined)),
    ...(await piecesOf(bytes, metrics)).map((piece) => chunkOf(undefined, piece)),
  ];
}

/** The bytes of a chunk around its metrics; there are fewer around its output. */
const OVERHEAD = '{"metrics":,"part":9999,"parts":9999}'.length;

/** A member of a yield, or the piece of it in one chunk, as JSON. */
interface Piece {
  readonly json: Uint8Array;
  /** JSON members that follow it in the chunk, each after a comma. */
  readonly place?: string;
}

async function piecesOf(bytes: Uint8Array, member: JsonNode | undefined): Promise<Piece[]> {
  if (member === undefined) return [];
  const json = spanOf(bytes, member);
  const room = CHUNK_LIMIT - OVERHEAD;
  const lists = member.type === "array" && json.length > room ? await splitJsonList(json, room) : undefined;
  if (lists !== undefined) return lists.map((list) => ({ json: list }));
  const pieces = await splitJson(json, room);
  // Pieces of text are text: readers do not notice.
  if (pieces.length === 1 || member.type === "string") return pieces.map((json) => ({ json }));
  return pieces.map((json, index) => ({ json, place: `,"part":${index + 1},"parts":${pieces.length}` }));
}

function chunkOf(output: Piece | undefined, metrics: Piece | undefined): Uint8Array {
  const parts: Uint8Array[] = [];
  if (output !== undefined) parts.push(OUTPUT, output.json);
  if (output?.place !== undefined) parts.push(Buffer.from(output.place));
  if (metrics !== undefined) parts.push(METRICS, metrics.json);
  if (metrics?.place !== undefined) parts.push(Buffer.from(metrics.place));
  if (parts.length === 0) return Buffer.from("{}");
  const members = Buffer.concat([...parts, END]);
  // The brace replaces the first comma.
  members[0] = "{".charCodeAt(0);
  return members;
}

const OUTPUT = Buffer.from(',"output":');
const METRICS = Buffer.from(',"metrics":');
const END = Buffer.from("}");

function wholeOf(bytes: Uint8Array, member: JsonNode | undefined): Piece | undefined {
  return member && { json: spanOf(bytes, member) };
}
