import { crc32 } from "node:zlib";
import { newSecret } from "./digest.ts";

/** The text of a key: prefix, id of the key, 256 random bits, checksum over what stands before it. */
const KEY_TEXT = /^fbk_([a-z0-9]{14})_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/;

const CHECKSUM_LENGTH = 8;

/**
 * A new text for the key with this id. Prefix and checksum are for secret scanners, which find a key without
 * asking anybody; the id is how the server finds its record.
 */
export function newKeyText(id: string): string {
  const text = `fbk_${id}_${newSecret()}`;
  return text + checksumOf(text);
}

/** The id that a key tells; undefined for anything else, and where the checksum is not right. */
export function keyIdOf(text: string): string | undefined {
  const id = KEY_TEXT.exec(text)?.[1];
  const isWhole = checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
  return isWhole ? id : undefined;
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_LENGTH, "0");
}
