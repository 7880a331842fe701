import { hash, randomBytes } from "node:crypto";

/** SHA-256 in hexadecimal. Keys and tokens are random, so a slow hash would only slow the server down. */
export function digestOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** A new token of a worker; the prefix tells people and secret scanners what it is. */
export function newWorkerSecret(): string {
  return `fbw_${newSecret()}`;
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
