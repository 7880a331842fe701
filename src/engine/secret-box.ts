import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** Encrypts what must not lie readable on the disk (design, invariant 9). */
export interface SecretBox {
  /** `purpose` binds the secret to its place: bytes moved to another row cannot be opened there. */
  seal(secret: Uint8Array, purpose: string): Uint8Array;
  /** Throws when the key is another one, or the bytes or their place were changed. */
  open(sealed: Uint8Array, purpose: string): Uint8Array;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM (NIST SP 800-38D). Sealed bytes are nonce, tag and ciphertext. `key` may be any text. */
export function secretBox(key: string): SecretBox {
  const keyBytes = createHash("sha256").update(key).digest();
  return {
    seal(secret, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", keyBytes, nonce).setAAD(Buffer.from(purpose));
      const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    },

    open(sealed, purpose) {
      const decipher = createDecipheriv("aes-256-gcm", keyBytes, sealed.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    },
  };
}
