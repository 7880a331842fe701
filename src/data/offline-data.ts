import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { type Config, IN_MEMORY } from "../config/config.ts";
import { OperatorFault } from "../domain/operator-fault.ts";
import { checkSealed } from "../engine/check-sealed.ts";
import { digestOf } from "../engine/digest.ts";
import { secretBox } from "../engine/secret-box.ts";
import { thisMachine } from "../host/system-clock.ts";
import {
  backUpDirectory,
  type Compacted,
  compactStore,
  type ComparedRow,
  type Manifest,
  moveStore,
  restoreDirectory,
  restoreRefusal,
} from "../store/offline-store.ts";
import { bindDirectory, copyRefusal } from "./data-directory.ts";
import { loadSecretKeys, secretKeyFileOf } from "./secret-key.ts";

export { type Manifest, readBackup } from "../store/offline-store.ts";

type KeyConfig = Pick<Config, "data" | "secretKey" | "secretKeyPrevious" | "secretKeyFile">;

/** Backs up the data directory of a stopped server, as pieces of a tar archive. Throws OperatorFault. */
export async function* backUpData(config: KeyConfig): AsyncGenerator<Uint8Array> {
  const directory = await unservedDirectory(config);
  const digests = await keyDigests(config);
  yield* backUpDirectory(directory, { version, instant: thisMachine.wall(), secretKeys: digests ?? [] });
}

/**
 * Creates the data directory from a backup, for a server with an id of its own: it never stops workers of the
 * original. Throws OperatorFault; then nothing is changed.
 */
export async function restoreData(config: KeyConfig, source: AsyncIterable<Uint8Array>): Promise<Manifest> {
  if (config.data === IN_MEMORY) {
    throw new OperatorFault("A backup is restored into a directory. Name it with --data <directory>.");
  }
  const directory = resolve(config.data);
  const digests = await keyDigests(config);
  const server = crypto.randomUUID();
  return restoreDirectory({
    directory,
    source,
    server,
    check: (manifest) => refuseOtherKey(manifest, digests, config),
    bind: () => bindDirectory(directory, server),
  });
}

/** Rewrites the database of the data directory without unused space. Throws OperatorFault. */
export async function compactData(config: Pick<Config, "data">): Promise<Compacted> {
  return compactStore(await unservedDirectory(config));
}

/**
 * Copies the data directory into the configured PostgreSQL, and answers the counts of both. Throws
 * OperatorFault, also if a key is missing that some secret in the data needs.
 */
export async function migrateStore(
  config: KeyConfig & Pick<Config, "databaseUrl">,
  onProgress: (copied: number, all: number) => void,
): Promise<ComparedRow[]> {
  if (!hasKey(config)) {
    throw new OperatorFault(
      `${secretKeyFileOf(config)} is missing. Give the encryption key of this data ` +
        "with --secret-key or --secret-key-file.",
    );
  }
  const directory = await unservedDirectory(config);
  const { keys } = await loadSecretKeys(config);
  const target = { url: config.databaseUrl, keyDigests: keys.map(digestOf) };
  const check = checkSealed(secretBox(keys));
  return moveStore({ directory, target, check, onProgress });
}

/** Throws OperatorFault if the directory is a copy, or a restore into it was not finished. */
async function unservedDirectory({ data }: Pick<Config, "data">): Promise<string> {
  const directory = resolve(data);
  const refusal = restoreRefusal(directory) ?? (await copyRefusal(directory));
  if (refusal !== undefined) throw new OperatorFault(refusal);
  return directory;
}

function hasKey(config: KeyConfig): boolean {
  return config.secretKey !== "" || existsSync(secretKeyFileOf(config));
}

/** Of the given keys, the newest first; undefined if none is given and the file is missing. */
async function keyDigests(config: KeyConfig): Promise<readonly string[] | undefined> {
  if (!hasKey(config)) return undefined;
  const { keys } = await loadSecretKeys({ ...config, databaseUrl: "" });
  return keys.map(digestOf);
}

function refuseOtherKey(
  { secretKeys: [needed] }: Manifest,
  given: readonly string[] | undefined,
  config: KeyConfig,
): void {
  if (needed === undefined || given?.includes(needed) === true) return;
  const file = secretKeyFileOf(config);
  if (given === undefined) {
    throw new OperatorFault(
      `The key file ${file} is missing, and the secrets in this backup need its key. Put the key file of ` +
        "the original server there, or name it with --secret-key-file, or set FOREBAY_SECRET_KEY.",
    );
  }
  const whose = config.secretKey === "" ? `The key in ${file}` : "FOREBAY_SECRET_KEY";
  throw new OperatorFault(
    `${whose} cannot decrypt the secrets in this backup. ` +
      "Give the key that the server had when the backup was made.",
  );
}
