import { type JsonNode, scanJson, scanSmallJson } from "../json/json-scan.ts";

/** Made once: it costs more than what it decodes. */
const DECODER = new TextDecoder();

/** The values of an output: the elements of an array, or the output itself; each JSON as it was sent. */
export async function outputValues(output: Uint8Array): Promise<Uint8Array[]> {
  return valuesIn(output, await scanJson(output, 1));
}

/** The same of an output of at most 128 kB. */
export function smallOutputValues(output: Uint8Array): Uint8Array[] {
  return valuesIn(output, scanSmallJson(output, 1));
}

function valuesIn(output: Uint8Array, root: JsonNode): Uint8Array[] {
  const nodes = root.type === "array" ? root.children : [root];
  return nodes.map(({ start, end }) => output.subarray(start, end));
}

/** The text that a JSON string stands for; undefined for any other value. */
export function stringOf(json: Uint8Array): string | undefined {
  return json[0] === QUOTE ? JSON.parse(DECODER.decode(json)) : undefined;
}

const QUOTE = '"'.charCodeAt(0);
