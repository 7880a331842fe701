/** A part of an answer: text of ours, or bytes that pass through unchanged. */
export type Part = string | Uint8Array;

export const JSON_TYPE = { "content-type": "application/json" };
const JSON_OK = { status: 200, headers: JSON_TYPE };

/** 200 with a JSON document put together from its parts. */
export function jsonReply(parts: readonly Part[], headers?: Record<string, string>): Response {
  const init = headers === undefined ? JSON_OK : { status: 200, headers: { ...JSON_TYPE, ...headers } };
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return new Response(length > PIECE ? inPieces(parts) : join(parts), init);
}

/** The runtime copies what it is given as a whole; a megabyte takes it half a millisecond. */
const PIECE = 262_144;

/**
 * A large answer piece by piece, each when the one before has left: it is never copied as a whole, and a
 * reader that stops takes no more memory.
 */
export async function* inPieces(parts: readonly Part[]): AsyncGenerator<Part> {
  for (const part of parts) {
    if (typeof part === "string") yield part;
    else for (let at = 0; at < part.length; at += PIECE) yield part.subarray(at, at + PIECE);
  }
}

/** 200 with a value of ours. */
export function jsonValue(value: unknown): Response {
  return new Response(JSON.stringify(value), JSON_OK);
}

export function noContent(): Response {
  return new Response(null, { status: 204 });
}

function join(parts: readonly Part[]): string | Uint8Array<ArrayBuffer> {
  if (parts.length === 1 && typeof parts[0] === "string") return parts[0];
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}
