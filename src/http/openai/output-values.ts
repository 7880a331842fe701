import { scanJson } from "../json/json-scan.ts";

/** The values of an output: the elements of an array, or the output itself; each JSON as it was sent. */
export async function outputValues(output: Uint8Array): Promise<Uint8Array[]> {
  const root = await scanJson(output, 1);
  const nodes = root.type === "array" ? root.children : [root];
  return nodes.map(({ start, end }) => output.subarray(start, end));
}

/** The text that a JSON string stands for; undefined for any other value. */
export function stringOf(json: Uint8Array): string | undefined {
  return json[0] === QUOTE ? JSON.parse(new TextDecoder().decode(json)) : undefined;
}

const QUOTE = '"'.charCodeAt(0);
