import { type Payload, PAYLOAD_INLINE_LIMIT, type StoredPayload } from "../../src/domain/payload.ts";
import type { SeededRandom } from "./seeded-random.ts";

/**
 * A payload in the history and in the model: a name from which its bytes can be made again. It has the type
 * of a payload, but means nothing to a store.
 */
export type NamedPayload = StoredPayload;

/** Shares of all payloads, and their sizes in bytes: inline, a row of their own, a file. */
const TIERS = [
  { upTo: 0.72, min: 0, max: 100 },
  { upTo: 0.9, min: 2_000, max: 8_000 },
  { upTo: 0.95, min: 8_000, max: PAYLOAD_INLINE_LIMIT },
  { upTo: 1, min: PAYLOAD_INLINE_LIMIT + 1, max: 150_000 },
] as const;

/** With fewer bytes, two payloads can be the same. */
const WHOLE_NAME = 8;

export function namedPayload(random: SeededRandom): NamedPayload {
  const roll = random.next();
  const { min, max } = TIERS.find((tier) => roll < tier.upTo) ?? TIERS[0];
  return { file: random.integer(0, 2 ** 31).toString(36), size: random.integer(min, max) };
}

/** One that differs from all others. */
export function uniquePayload(random: SeededRandom): NamedPayload {
  const { file, size } = namedPayload(random);
  return { file, size: Math.max(size, WHOLE_NAME) };
}

export function bytesOf({ file, size }: NamedPayload): Uint8Array {
  return new Uint8Array(Buffer.alloc(size, `${file}.`));
}

/** What stands for the bytes where two payloads are compared. */
export function digestOf(bytes: Uint8Array): string {
  return `${bytes.length}:${Bun.hash(bytes).toString(36)}`;
}

const digests = new WeakMap<Payload, string>();

/** Of the bytes that a payload of the history or the model stands for: there all payloads are names. */
export function payloadDigest(payload: Payload): string {
  const known = digests.get(payload) ?? digestOf(bytesOf(payload as NamedPayload));
  digests.set(payload, known);
  return known;
}
