import { Readable } from "node:stream";
import { createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { ForebayError } from "../domain/errors.ts";
import { type BodyRules, next, piecesOf, type ReadBody, readCounted, tooLarge } from "./body-pieces.ts";
import type { Call } from "./call.ts";

/** How a body is decoded; undefined if it is as sent. */
type Decoding = "gzip" | "deflate" | undefined;

/** The names of encodings (RFC 9110, 8.4.1), in lower case. */
const DECODINGS: ReadonlyMap<string, Decoding> = new Map([
  ["", undefined],
  ["identity", undefined],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
]);

/** How a body with this `Content-Encoding` is decoded. Throws MEDIA_TYPE_NOT_SUPPORTED. */
export function decodingOf(encoding: string): Decoding {
  const name = encoding.trim().toLowerCase();
  if (DECODINGS.has(name)) return DECODINGS.get(name);
  throw new ForebayError(
    "MEDIA_TYPE_NOT_SUPPORTED",
    `The body is compressed (${encoding}). Use gzip, deflate, or no compression.`,
  );
}

/**
 * Reads a body with a `Content-Encoding`: at most `limit` bytes as sent, and as decoded. Decoding stops at
 * the limit, so a few kilobytes cannot become gigabytes. Throws what `readCounted` throws, MALFORMED_JSON and
 * MEDIA_TYPE_NOT_SUPPORTED.
 */
export async function readEncoded(
  call: Call,
  rules: BodyRules,
  limit: number,
  encoding: string,
): Promise<ReadBody> {
  const decoding = decodingOf(encoding);
  if (decoding === undefined) return readCounted(rules, limit, call);
  const sent = piecesOf(call);
  const first = await headOf(sent);
  const decoder = decoderOf(decoding, first);
  const encoded = Readable.from(countedPieces(first, sent, limit), { objectMode: false });
  encoded.on("error", (error) => decoder.destroy(error));
  const decoded: AsyncIterator<Uint8Array> = encoded.pipe(decoder)[Symbol.asyncIterator]();
  try {
    return await readCounted(rules, limit, call, { next: () => nextDecoded(decoded, decoding) });
  } finally {
    encoded.destroy();
    decoder.destroy();
  }
}

/** The first bytes: at least two, if there are as many. */
async function headOf(sent: AsyncIterator<Uint8Array> | undefined): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let length = 0; length < 2;) {
    const piece = await next(sent);
    if (piece === undefined) break;
    pieces.push(piece);
    length += piece.length;
  }
  return Buffer.concat(pieces);
}

/** "deflate" is the zlib format, but some clients leave out its head. */
function decoderOf(decoding: "gzip" | "deflate", [method = 0, flags = 0]: Uint8Array) {
  if (decoding === "gzip") return createGunzip();
  // RFC 1950, 2.2: the method is 8, and both bytes as one number are a multiple of 31.
  const hasHead = (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
  return hasHead ? createInflate() : createInflateRaw();
}

async function* countedPieces(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array> | undefined,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for (let piece: Uint8Array | undefined = first; piece !== undefined; piece = await next(rest)) {
    length += piece.length;
    if (length > limit) throw tooLarge(limit);
    yield piece;
  }
}

async function nextDecoded(
  decoded: AsyncIterator<Uint8Array>,
  decoding: string,
): Promise<IteratorResult<Uint8Array>> {
  try {
    return await decoded.next();
  } catch (error) {
    if (error instanceof ForebayError) throw error;
    throw new ForebayError(
      "MALFORMED_JSON",
      `The body cannot be decoded as ${decoding}. Send it whole, or without Content-Encoding.`,
    );
  }
}
