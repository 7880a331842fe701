import { isStored, PAYLOAD_INLINE_LIMIT, type Payload } from "../../domain/payload.ts";

/** A payload as two columns: its bytes, or the name and size of where they lie. */
export interface PayloadColumns {
  readonly content: Uint8Array | null;
  readonly ref: string | null;
}

/** Throws a RangeError for bytes that must be written beside the row first. */
export function columnsOf(payload: Payload | undefined): PayloadColumns {
  if (payload === undefined) return { content: null, ref: null };
  if (isStored(payload)) return { content: null, ref: `${payload.file} ${payload.size}` };
  if (payload.length > PAYLOAD_INLINE_LIMIT) {
    throw new RangeError(`a payload of ${payload.length} bytes must be written beside the database first`);
  }
  return { content: payload, ref: null };
}

/** Undefined when the columns hold no payload. */
export function payloadOf(content: Uint8Array | null | undefined, ref: string | null): Payload | undefined {
  if (ref !== null) return { file: fileOf(ref), size: Number(ref.slice(ref.indexOf(" ") + 1)) };
  return content ?? undefined;
}

export function fileOf(ref: string): string {
  return ref.slice(0, ref.indexOf(" "));
}
