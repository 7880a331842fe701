import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** Encrypts secrets at rest (design, invariant 9) with a ring of keys. */
export interface SecretBox {
  /**
   * Encrypts with the newest key. `purpose` binds the secret to its place: bytes that were moved to another
   * row cannot be opened there.
   */
  seal(secret: Uint8Array, purpose: string): Uint8Array;
  /** Throws UnreadableSecret if no key of the ring made the bytes, or if they or their place were changed. */
  open(sealed: Uint8Array, purpose: string): Uint8Array;
  /** Encrypts with the newest key; undefined if it already is. Throws as `open` does. */
  reseal(sealed: Uint8Array, purpose: string): Uint8Array | undefined;
  /** The keys, the newest first. */
  readonly keys: readonly string[];
  /** Uses these keys from now on, the newest first. */
  use(keys: readonly string[]): void;
  /** Runs work that encrypts. It must end when the result is stored. */
  storing<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when all such work that has begun is over, so that the store has its results. */
  stored(): Promise<void>;
}

/** No key of this server opens the secret: the key is missing, or the bytes are damaged. */
export class UnreadableSecret extends Error {}

interface RingKey {
  readonly text: string;
  /** The first bytes of everything that the key has encrypted. */
  readonly id: Buffer;
  readonly bytes: Buffer;
}

/** The newest first. */
type Ring = readonly [RingKey, ...RingKey[]];

const ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM (NIST SP 800-38D). Sealed bytes are the id of the key, nonce, tag and ciphertext. The first
 * versions wrote no id: such bytes begin with the nonce, and belong to the oldest key that opens them. A key
 * may be any text.
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

  return {
    seal,
    open: (sealed, purpose) => opened(ring, sealed, purpose).secret,

    reseal(sealed, purpose) {
      const { secret, isCurrent } = opened(ring, sealed, purpose);
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

function ringOf(keys: readonly string[]): Ring {
  const [newest, ...older] = keys.map((text) => {
    const bytes = createHash("sha256").update(text).digest();
    const id = createHash("sha256").update("key id").update(bytes).digest().subarray(0, ID_BYTES);
    return { text, bytes, id };
  });
  if (newest === undefined) throw new RangeError("a ring of keys has one at least");
  return [newest, ...older];
}

/** The secret, and whether the newest key has encrypted it in the present layout. */
function opened(
  ring: Ring,
  sealed: Uint8Array,
  purpose: string,
): { readonly secret: Uint8Array; readonly isCurrent: boolean } {
  const key = ring.find(({ id }) => id.equals(sealed.subarray(0, ID_BYTES)));
  if (key !== undefined) {
    const secret = unlessForged(() => decrypt(key, sealed.subarray(ID_BYTES), purpose));
    if (secret !== undefined) return { secret, isCurrent: key === ring[0] };
  }
  // Also if bytes without an id begin like the id of a key by chance.
  for (const older of ring.slice(1).toReversed()) {
    const secret = unlessForged(() => decrypt(older, sealed, purpose));
    if (secret !== undefined) return { secret, isCurrent: false };
  }
  const secret = unlessForged(() => decrypt(ring[0], sealed, purpose));
  if (secret !== undefined) return { secret, isCurrent: false };
  throw new UnreadableSecret(
    `no key of this server can decrypt the ${purpose}: it is damaged, or its key is missing`,
  );
}

function decrypt(key: RingKey, sealed: Uint8Array, purpose: string): Uint8Array {
  const decipher = createDecipheriv("aes-256-gcm", key.bytes, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const secret = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
  // Checks the tag. A stream cipher has no more output.
  decipher.final();
  return secret;
}

/** Undefined for bytes that the key did not make: the cipher throws an error without a code. */
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

/** What can be encrypted at rest, and the ids of its place. */
export type SealedPlaceName =
  | readonly [of: "s3Config" | "webhook", endpoint: string, job: string]
  | readonly [of: "env", template: string]
  | readonly [of: "login", registryLogin: string]
  | readonly [of: "release", release: string]
  | readonly [of: "host", name: string]
  | readonly [of: "webhookSecret" | "webhookHeaders" | "endpointEnv", endpoint: string];

/** The purpose of a value for `SecretBox.seal`. All data depends on it, so it must never change. */
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
    case "host":
      return `host/${owner}/certificates`;
    case "webhookSecret":
    case "webhookHeaders":
      return `endpoint/${owner}/${of}`;
    case "endpointEnv":
      return `endpoint/${owner}/env`;
  }
}

/** Smaller bytes are not worth it, and can share their memory with others. */
const LARGE = 16_384;

/** The cipher makes its output a little larger than it says, bytes. */
const SLACK = 32;

/**
 * Gives the memory of large bytes back at once; they are empty then. Otherwise a call that opens many secrets
 * would hold all of them until the garbage collector runs. Bytes that are part of others stay as they are.
 */
export function freeBytes(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength < LARGE || buffer.byteLength > byteLength + SLACK) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
