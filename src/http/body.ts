import { PAYLOAD_INLINE_LIMIT } from "../domain/payload.ts";
import { freeBytes } from "../engine/secret-box.ts";
import {
  type BodyRules,
  discardPieces,
  incomplete,
  type ReadBody,
  readCounted,
  readLarge,
  SMALL_BODY,
  tooLarge,
} from "./body-pieces.ts";
import type { Call } from "./call.ts";
import { decodingOf, readEncoded } from "./encoded-body.ts";

/** The spec's MB (design, row 15). */
export const MB = 1_048_576;

/**
 * Reads the whole body: at most `limit` bytes, as counted, and as decoded if it is compressed. Throws
 * BODY_TOO_LARGE, BODY_TOO_SLOW, INCOMPLETE_BODY, MALFORMED_JSON, MEDIA_TYPE_NOT_SUPPORTED and OVERLOADED.
 */
export async function readBody(call: Call, rules: BodyRules, limit: number): Promise<ReadBody> {
  const { length } = call;
  if (length !== undefined && length > limit) throw tooLarge(limit);
  const encoding = call.request.headers.get("content-encoding");
  if (encoding !== null) return readEncoded(call, rules, limit, encoding);
  if (length === undefined) return readCounted(rules, limit, call);
  if (length > SMALL_BODY) return readLarge(call, rules, length);
  try {
    return { bytes: await call.request.bytes(), [Symbol.dispose]: NO_ROOM };
  } catch (error) {
    throw incomplete(error);
  }
}

const NO_ROOM = (): void => undefined;

/**
 * Gives the memory of a body back whose `payload`, a part of it or a copy, is in the store. A small payload
 * is stored as it is, and then the memory stays. Call it when no other part of the body is used any more.
 */
export function freeStored({ bytes }: ReadBody, payload: Uint8Array | undefined): void {
  if (payload !== undefined && payload.length > PAYLOAD_INLINE_LIMIT) freeBytes(bytes);
}

/**
 * For routes without a body: reads what is sent to its end and ignores it, because a request that was cut off
 * asks for nothing. Throws BODY_TOO_LARGE, INCOMPLETE_BODY and MEDIA_TYPE_NOT_SUPPORTED.
 */
export async function passOverBody(call: Call): Promise<void> {
  decodingOf(call.request.headers.get("content-encoding") ?? "");
  if ((call.length ?? 0) > MB) throw tooLarge(MB);
  await discardPieces(call, MB);
}
