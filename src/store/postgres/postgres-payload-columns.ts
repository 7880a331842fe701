import { PayloadDamaged } from "../../domain/errors.ts";
import { isStored, PAYLOAD_INLINE_LIMIT, type Payload } from "../../domain/payload.ts";
import { checkedPayload, withDigest } from "../digested.ts";

/** A payload as two columns: its bytes, or the name and size of where they lie. */
export interface PayloadColumns {
  readonly content: Uint8Array | null;
  readonly ref: string | null;
}

/**
 * `isDigested`: whether bytes in a row carry their digest. Throws a RangeError for bytes that must be stored
 * outside the row first, and PAYLOAD_DAMAGED for what cannot be copied.
 */
export function columnsOf(payload: Payload | undefined, isDigested: boolean): PayloadColumns {
  if (payload === undefined) return { content: null, ref: null };
  if (isStored(payload)) {
    if (payload.damage !== undefined) throw new PayloadDamaged(payload.damage);
    return { content: null, ref: `${payload.file} ${payload.size}` };
  }
  if (payload.length > PAYLOAD_INLINE_LIMIT) {
    throw new RangeError(`a payload of ${payload.length} bytes must be written beside the database first`);
  }
  return { content: isDigested ? withDigest(payload) : payload, ref: null };
}

/** Undefined when the columns hold no payload. Does not throw for a damaged one: only who reads it fails. */
export function payloadOf(content: Uint8Array | null | undefined, ref: string | null): Payload | undefined {
  if (ref !== null) return { file: fileOf(ref), size: Number(ref.slice(ref.indexOf(" ") + 1)) };
  return content ? checkedPayload(content, "a payload in the row of its job") : undefined;
}

export function fileOf(ref: string): string {
  return ref.slice(0, ref.indexOf(" "));
}
