import type { Call } from "./call.ts";

/** A part of an answer: our own text, or bytes that are passed on as they are. */
export type Part = string | Uint8Array;

/** The answer of a handler. The server turns it into a response, with the headers of the call. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | AsyncIterable<Part> | null;
}

export const JSON_TYPE = { "content-type": "application/json" };

/** 200 with a JSON document put together from its parts. */
export function jsonReply(parts: readonly Part[], headers?: Readonly<Record<string, string>>): Reply {
  let length = 0;
  for (const part of parts) length += part.length;
  return {
    status: 200,
    headers: headers === undefined ? JSON_TYPE : { ...JSON_TYPE, ...headers },
    body: length > PIECE ? inPieces(parts) : joined(parts),
  };
}

/** The runtime copies each piece as a whole: 0.5 ms for a megabyte. */
const PIECE = 262_144;

/**
 * A large answer in pieces, each sent when the one before has left. So it is never copied as a whole, and a
 * reader that stops uses no more memory.
 */
export async function* inPieces(parts: readonly Part[]): AsyncGenerator<Part> {
  for (const part of parts) {
    if (typeof part === "string") yield part;
    else for (let at = 0; at < part.length; at += PIECE) yield part.subarray(at, at + PIECE);
  }
}

/** A JSON document with our own value. */
export function jsonValue(value: unknown, status = 200): Reply {
  return { status, headers: JSON_TYPE, body: JSON.stringify(value) };
}

/** The same reply with the status 201. */
export function created(reply: Reply): Reply {
  return { ...reply, status: 201 };
}

export function noContent(): Reply {
  return NO_CONTENT;
}

const NO_CONTENT: Reply = { status: 204, headers: {}, body: null };

/** The headers of most answers. The runtime copies such an object faster than it reads a plain one. */
const JSON_HEADERS = new Headers(JSON_TYPE);

/** The response to a call. */
export function responseTo({ headers }: Pick<Call, "headers">, reply: Reply): Response {
  const { status, headers: own, body } = reply;
  const response = new Response(body, { status, headers: own === JSON_TYPE ? JSON_HEADERS : own });
  const all = response.headers;
  for (const name in headers) if (!(name in own)) all.set(name, headers[name] ?? "");
  return response;
}

/** The parts as one. */
export function joined(parts: readonly Part[]): string | Uint8Array<ArrayBuffer> {
  const [only] = parts;
  if (parts.length === 1 && typeof only === "string") return only;
  let length = 0;
  for (const part of parts) length += typeof part === "string" ? Buffer.byteLength(part) : part.length;
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) {
    if (typeof part === "string") at += whole.write(part, at);
    else {
      whole.set(part, at);
      at += part.length;
    }
  }
  return whole;
}
