import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config/config.ts";
import { bindDirectory } from "./data-directory.ts";
import { OperatorFault } from "../domain/operator-fault.ts";
import { digestOf } from "../engine/digest.ts";
import { loadSecretKeys, secretKeyFileOf } from "./secret-key.ts";
import { type Manifest, restoreDirectory } from "../store/back-up-directory.ts";

type Restored = Pick<Config, "data" | "secretKey" | "secretKeyPrevious" | "secretKeyFile">;

/**
 * Makes the data directory of the configuration from a backup, for a server of its own: it never touches what
 * the server of the original has started. Throws OperatorFault; then nothing is changed.
 */
export async function restoreData(config: Restored, source: AsyncIterable<Uint8Array>): Promise<Manifest> {
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

/** Undefined where no key is given and the file is missing. */
async function keyDigests(config: Restored): Promise<readonly string[] | undefined> {
  if (config.secretKey === "" && !existsSync(secretKeyFileOf(config))) return undefined;
  const { keys } = await loadSecretKeys({ ...config, databaseUrl: "" });
  return keys.map(digestOf);
}

function refuseOtherKey(
  { secretKeys: [needed] }: Manifest,
  given: readonly string[] | undefined,
  config: Restored,
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
    `${whose} does not open the secrets in this backup. ` +
      "Give the key that the server had when the backup was made.",
  );
}
