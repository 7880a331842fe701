import { crc32 } from "node:zlib";
import { PayloadDamaged } from "../domain/errors.ts";
import { damagedPayload, type Payload } from "../domain/payload.ts";

/**
 * How a payload lies in a row: a mark of four bytes, the CRC-32 of the bytes, then the bytes (decision 0031).
 * A payload without a mark was written by version 0.1 and is read without a check. The mark cannot begin a
 * JSON text, because its first two bytes never occur in UTF-8. Its last byte is the number of the format.
 */
export const MARK = Uint8Array.of(0xc1, 0xfe, 0x46, 0x01);
export const HEAD_BYTES = MARK.length + 4;

/** So many equal bytes make a mark, so that a damaged mark is not taken for an old payload. */
const ENOUGH = MARK.length - 1;

/** CRC-32: 63 ns for 1 kB. */
export function digestOf(bytes: Uint8Array): number {
  return crc32(bytes);
}

/** The bytes behind their head, for a row. */
export function withDigest(bytes: Uint8Array): Uint8Array {
  // A Buffer takes several times as long to make.
  const stored = new Uint8Array(HEAD_BYTES + bytes.length);
  writeHead(stored, bytes);
  stored.set(bytes, HEAD_BYTES);
  return stored;
}

/** What stands before the bytes: a file gets it in a write of its own, so that nothing large is copied. */
export function headOf(bytes: Uint8Array): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  writeHead(head, bytes);
  return head;
}

function writeHead(target: Uint8Array, bytes: Uint8Array): void {
  const digest = digestOf(bytes);
  target.set(MARK);
  for (let index = MARK.length; index < HEAD_BYTES; index++) {
    target[index] = digest >>> (8 * (HEAD_BYTES - 1 - index));
  }
}

/** The payload that a row holds. If its bytes are not what was written, reading it throws PAYLOAD_DAMAGED. */
export function checkedPayload(stored: Uint8Array, where: string): Payload {
  const equal = equalBytes(stored);
  if (equal < ENOUGH) return stored;
  const bytes = stored.subarray(HEAD_BYTES);
  if (equal === MARK.length && stored.length >= HEAD_BYTES && digestIn(stored) === digestOf(bytes)) {
    return bytes;
  }
  return damagedPayload(bytes.length, differs(where));
}

/**
 * The `size` bytes of a payload whose size is known. A file of exactly this size was written by version 0.1,
 * and is not checked. Throws PAYLOAD_DAMAGED.
 */
export function checkedBytes(stored: Uint8Array, size: number, where: string): Uint8Array {
  if (stored.length === size) return stored;
  if (stored.length !== size + HEAD_BYTES) {
    const expected = `${size} or ${size + HEAD_BYTES}`;
    throw new PayloadDamaged(`${where} has ${stored.length} bytes, not ${expected}`);
  }
  const bytes = stored.subarray(HEAD_BYTES);
  if (equalBytes(stored) === MARK.length && digestIn(stored) === digestOf(bytes)) return bytes;
  throw new PayloadDamaged(differs(where));
}

function differs(where: string): string {
  return `${where} is not what was written: its CRC-32 differs`;
}

/** How many bytes a payload has that lies in a row like this. */
export function sizeWithoutDigest(stored: Uint8Array): number {
  return equalBytes(stored) < ENOUGH ? stored.length : Math.max(0, stored.length - HEAD_BYTES);
}

function equalBytes(stored: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < MARK.length; index++) if (stored[index] === MARK[index]) count++;
  return count;
}

function digestIn(stored: Uint8Array): number {
  let digest = 0;
  for (let index = MARK.length; index < HEAD_BYTES; index++) digest = digest * 256 + (stored[index] ?? 0);
  return digest;
}
