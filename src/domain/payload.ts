/**
 * Bytes that belong to a job: what was submitted, what came back, a chunk. Small ones travel with the row;
 * larger ones lie beside the database and the row names them (design, invariant 5).
 */
export type Payload = Uint8Array | StoredPayload;

/** A payload whose bytes are not here: `readPayload` reads them, or throws. */
export interface StoredPayload {
  readonly file: string;
  /** Size in bytes. */
  readonly size: number;
  /** The bytes in the row are damaged, or missing: where, and how. `readPayload` throws PAYLOAD_DAMAGED. */
  readonly damage?: string | undefined;
}

/** Above this many bytes a payload lies beside the database. */
export const PAYLOAD_INLINE_LIMIT = 65_536;

/** In bytes. */
export function sizeOf(payload: Payload): number {
  return isStored(payload) ? payload.size : payload.length;
}

export function sizeOfAll(payloads: readonly Payload[]): number {
  return payloads.reduce((sum, payload) => sum + sizeOf(payload), 0);
}

export function isStored(payload: Payload): payload is StoredPayload {
  return !(payload instanceof Uint8Array);
}

/** What a row holds whose bytes cannot be used: only who reads it fails. */
export function damagedPayload(size: number, damage: string): StoredPayload {
  return { file: "", size, damage };
}
