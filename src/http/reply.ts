/** A part of an answer: text of ours, or bytes that pass through unchanged. */
export type Part = string | Uint8Array;

const JSON_TYPE = { "content-type": "application/json" };
const JSON_OK = { status: 200, headers: JSON_TYPE };

/** 200 with a JSON document put together from its parts. */
export function jsonReply(parts: readonly Part[], headers?: Record<string, string>): Response {
  const init = headers === undefined ? JSON_OK : { status: 200, headers: { ...JSON_TYPE, ...headers } };
  return new Response(join(parts), init);
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
