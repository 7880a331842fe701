import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** Encrypts what must not lie readable on the disk (design, invariant 9), by a ring of keys. */
export interface SecretBox {
  /**
   * Seals by the newest key. `purpose` binds the secret to its place: bytes moved to another row cannot be
   * opened there.
   */
  seal(secret: Uint8Array, purpose: string): Uint8Array;
  /** Throws UnreadableSecret when no key of the ring made them, or the bytes or their place were changed. */
  open(sealed: Uint8Array, purpose: string): Uint8Array;
  /** The same secret by the newest key; undefined when it is by that one already. Throws as `open` does. */
  reseal(sealed: Uint8Array, purpose: string): Uint8Array | undefined;
  /** The keys, the newest first. */
  readonly keys: readonly string[];
  /** Takes these keys instead, the newest first. */
  use(keys: readonly string[]): void;
  /** Runs work that seals and is over when what it has sealed is stored. */
  storing<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when all work is over that began before: what it has sealed can be read from the store. */
  stored(): Promise<void>;
}

/** No key of the server opens it: the key is missing, or the bytes are damaged. */
export class UnreadableSecret extends Error {}

interface RingKey {
  readonly text: string;
  /** Begins all that the key has sealed. */
  readonly id: Buffer;
  readonly bytes: Buffer;
}

const ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM (NIST SP 800-38D). Sealed bytes are the id of the key, nonce, tag and ciphertext. Those that
 * were sealed before keys had ids begin with the nonce, and are of the oldest key that opens
 * them. A key may be any text.
 */
export function secretBox(keys: readonly string[]): SecretBox {
  let ring = ringOf(keys);
  const underWay = new Set<Promise<unknown>>();

  function seal(secret: Uint8Array, purpose: string): Uint8Array {
    const { id, bytes } = ring[0];
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", bytes, nonce).setAAD(Buffer.from(purpose));
    const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([id, nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** The secret, and whether the newest key has sealed it in the layout of today. */
  function opened(sealed: Uint8Array, purpose: string): { secret: Uint8Array; isCurrent: boolean } {
    const key = ring.find(({ id }) => id.equals(sealed.subarray(0, ID_BYTES)));
    if (key !== undefined) {
      const secret = unlessForged(() => decrypt(key, sealed.subarray(ID_BYTES), purpose));
      if (secret !== undefined) return { secret, isCurrent: key === ring[0] };
    }
    // Also where a nonce of before happens to begin like a key.
    for (const older of ring.slice(1).toReversed()) {
      const secret = unlessForged(() => decrypt(older, sealed, purpose));
      if (secret !== undefined) return { secret, isCurrent: false };
    }
    const secret = unlessForged(() => decrypt(ring[0], sealed, purpose));
    if (secret !== undefined) return { secret, isCurrent: false };
    throw new UnreadableSecret(
      `no key of this server opens the ${purpose}: it is damaged, or its key is missing`,
    );
  }

  return {
    seal,
    open: (sealed, purpose) => opened(sealed, purpose).secret,

    reseal(sealed, purpose) {
      const { secret, isCurrent } = opened(sealed, purpose);
      return isCurrent ? undefined : seal(secret, purpose);
    },

    get keys() {
      return ring.map(({ text }) => text);
    },

    use(newer) {
      ring = ringOf(newer);
    },

    async storing(work) {
      const running = work();
      underWay.add(running);
      try {
        return await running;
      } finally {
        underWay.delete(running);
      }
    },

    async stored() {
      await Promise.allSettled(underWay);
    },
  };
}

function ringOf(keys: readonly string[]): readonly [RingKey, ...RingKey[]] {
  const [newest, ...older] = keys.map((text) => {
    const bytes = createHash("sha256").update(text).digest();
    const id = createHash("sha256").update("key id").update(bytes).digest().subarray(0, ID_BYTES);
    return { text, bytes, id };
  });
  if (newest === undefined) throw new RangeError("a ring of keys has one at least");
  return [newest, ...older];
}

function decrypt(key: RingKey, sealed: Uint8Array, purpose: string): Uint8Array {
  const decipher = createDecipheriv("aes-256-gcm", key.bytes, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const secret = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
  // A stream cipher holds nothing back: this checks the tag.
  decipher.final();
  return secret;
}

/** Undefined for bytes that the key did not make: the cipher throws then, and has no code for it. */
function unlessForged(decrypted: () => Uint8Array): Uint8Array | undefined {
  try {
    return decrypted();
  } catch {
    return undefined;
  }
}

export interface WithSecrets {
  readonly secrets: SecretBox;
}

/** What may lie sealed, and the ids that name its place. */
export type SealedPlaceName =
  | readonly [of: "s3Config" | "webhook", endpoint: string, job: string]
  | readonly [of: "env", template: string]
  | readonly [of: "login", registryLogin: string]
  | readonly [of: "release", release: string]
  | readonly [of: "webhookSecret" | "webhookHeaders" | "endpointEnv", endpoint: string];

/** What binds a sealed value to its place (`SecretBox.seal`): written into all data, so never changed. */
export function purposeOf(...[of, owner, job]: SealedPlaceName): string {
  switch (of) {
    case "s3Config":
    case "webhook":
      return `job/${owner}/${job}/${of}`;
    case "env":
      return `template/${owner}/env`;
    case "login":
      return `registryLogin/${owner}/login`;
    case "release":
      return `release/${owner}`;
    case "webhookSecret":
    case "webhookHeaders":
      return `endpoint/${owner}/${of}`;
    case "endpointEnv":
      return `endpoint/${owner}/env`;
  }
}
