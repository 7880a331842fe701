import { ForebayError } from "../domain/errors.ts";
import { digestOf, newSecret } from "./digest.ts";
import type { WithPeers } from "./peers.ts";
import { type Resealing, resealJobs } from "./reseal-jobs.ts";
import type { RecordChanges } from "./records/put-record.ts";
import { resealRecords } from "./records/reseal-records.ts";
import type { WithSecrets } from "./secret-box.ts";

export interface KeyRotation {
  /** How many secrets were encrypted with another key than the newest. */
  readonly resealed: number;
  /** Whether the old keys are gone. Otherwise the operator can remove them. */
  readonly isPreviousRemoved: boolean;
}

/** The keys that this server keeps itself, and their rotation. */
export interface KeyRotations {
  /** Stores these keys durably, the newest first. Undefined if the operator sets the keys. */
  readonly keepKeys: ((keys: readonly string[]) => Promise<void>) | undefined;
  /** The rotation that is in progress. */
  underWay: Promise<KeyRotation> | undefined;
}

interface WithRotations {
  readonly rotations: KeyRotations;
}

/** What rotating the keys needs. */
export interface KeyRotating extends WithRotations, RecordChanges, Resealing, WithPeers {}

/**
 * Encrypts all secrets with the newest key. A server that stores its own key creates a new one first, and
 * forgets the old one at the end. If an earlier rotation was interrupted, this one finishes it. A call during
 * a rotation gets its answer. Throws KEY_NOT_REPLACEABLE, SHUTTING_DOWN.
 */
export function rotateKeys(engine: KeyRotating): Promise<KeyRotation> {
  const { rotations } = engine;
  rotations.underWay ??= rotate(engine).finally(() => {
    rotations.underWay = undefined;
  });
  return rotations.underWay;
}

async function rotate(engine: KeyRotating): Promise<KeyRotation> {
  const { secrets, peers, store } = engine;
  const { keepKeys } = engine.rotations;
  if (secrets.keys.length === 1) await addKey(engine);
  const [newest = ""] = secrets.keys;
  if (peers?.sealBy(digestOf(newest)) === false) {
    throw new ForebayError(
      "KEY_NOT_REPLACEABLE",
      "Another server on this database does not use the newest encryption key yet. " +
        "Set the same FOREBAY_SECRET_KEY and FOREBAY_SECRET_KEY_PREVIOUS on all servers, then try again.",
    );
  }
  await secrets.stored();
  const resealed = (await resealRecords(engine)) + (await resealJobs(engine));
  await store.shared?.keepKey(digestOf(newest));
  if (keepKeys !== undefined) {
    await keepKeys([newest]);
    secrets.use([newest]);
  }
  engine.log.info("secrets are sealed by the newest key", { resealed });
  return { resealed, isPreviousRemoved: keepKeys !== undefined };
}

/** The new key is durable before it encrypts anything. */
async function addKey({ secrets, rotations: { keepKeys } }: WithSecrets & WithRotations): Promise<void> {
  if (keepKeys === undefined) {
    throw new ForebayError(
      "KEY_NOT_REPLACEABLE",
      "The encryption key of this server is in its settings. Start every server with the new key as " +
        "FOREBAY_SECRET_KEY and the current one as FOREBAY_SECRET_KEY_PREVIOUS " +
        "(or both in the key file, the new one first), then try again.",
    );
  }
  const keys = [newSecret(), ...secrets.keys];
  await keepKeys(keys);
  secrets.use(keys);
}
