import { ForebayError } from "../../domain/errors.ts";
import { MB } from "../body.ts";
import { type JsonNode, scanJson } from "../json/json-scan.ts";
import { memberOf } from "../json/json-text.ts";
import { splitJson } from "../json/json-split.ts";

/** Spec 4.A.3: the largest chunk. */
export const CHUNK_LIMIT = MB;

/**
 * The chunks of one yield: its `output`, and its `metrics` where it has some, as they were sent. What is
 * larger than a chunk may be is split, and its metrics follow in chunks of their own. Throws MALFORMED_JSON.
 */
export async function parseYield(bytes: Uint8Array): Promise<Uint8Array[]> {
  const root = await scanJson(bytes, 1);
  if (root.type !== "object") throw new ForebayError("MALFORMED_JSON", "The chunk is not a JSON object.");
  return chunksOf(bytes, root);
}

/** The same of a yield that has been scanned already. */
export async function chunksOf(bytes: Uint8Array, root: JsonNode): Promise<Uint8Array[]> {
  const output = memberOf(root, "output");
  const metrics = memberOf(root, "metrics");
  const whole = chunkOf(output && span(bytes, output), metrics && span(bytes, metrics));
  if (whole.length <= CHUNK_LIMIT) return [whole];
  const outputs = await piecesOf(bytes, output);
  const figures = await piecesOf(bytes, metrics);
  return [
    ...outputs.map((piece) => chunkOf(piece, undefined)),
    ...figures.map((piece) => chunkOf(undefined, piece)),
  ];
}

/** Bytes of a chunk around its metrics, of which there are more than around its output. */
const OVERHEAD = '{"metrics":}'.length;

async function piecesOf(bytes: Uint8Array, member: JsonNode | undefined): Promise<Uint8Array[]> {
  return member === undefined ? [] : splitJson(span(bytes, member), CHUNK_LIMIT - OVERHEAD);
}

function chunkOf(output: Uint8Array | undefined, metrics: Uint8Array | undefined): Uint8Array {
  const parts: Uint8Array[] = [];
  if (output !== undefined) parts.push(Buffer.from(',"output":'), output);
  if (metrics !== undefined) parts.push(Buffer.from(',"metrics":'), metrics);
  const members = Buffer.concat([...parts, Buffer.from("}")]);
  // The brace stands where the first comma was.
  members[0] = "{".charCodeAt(0);
  return parts.length === 0 ? Buffer.from("{}") : members;
}

function span(bytes: Uint8Array, { start, end }: JsonNode): Uint8Array {
  return bytes.subarray(start, end);
}
