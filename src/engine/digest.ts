import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** SHA-256 in hexadecimal. Keys and tokens are random, so a slow hash would only slow the server down. */
export function digestOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** 256 random bits in 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

const ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

/** The id of a new configuration record: 72 random bits. */
export function newRecordId(): string {
  return Array.from(randomBytes(14), (byte) => ID_ALPHABET[byte % ID_ALPHABET.length]).join("");
}

/** A new token of a worker; the prefix tells people and secret scanners what it is. */
export function newWorkerSecret(): string {
  return `fbw_${newSecret()}`;
}

/** The text of a key: prefix, id of the key, 256 random bits, and a checksum over all of that. */
const KEY_TEXT = /^fbk_([a-z0-9]{14})_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/;

const CHECKSUM_LENGTH = 8;

/**
 * A new text for the key with this id. Prefix and checksum let secret scanners find a key without asking
 * anybody. By the id, the server finds the record of the key.
 */
export function newKeyText(id: string): string {
  const text = `fbk_${id}_${newSecret()}`;
  return text + checksumOf(text);
}

/** The id in the text of a key; undefined for any other text, and if the checksum is wrong. */
export function keyIdOf(text: string): string | undefined {
  const id = KEY_TEXT.exec(text)?.[1];
  const isWhole = checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
  return isWhole ? id : undefined;
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_LENGTH, "0");
}
