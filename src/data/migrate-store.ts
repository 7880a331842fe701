import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { unservedRefusal } from "./data-directory.ts";
import { digestOf } from "../engine/digest.ts";
import { checkSealed } from "../engine/check-sealed.ts";
import { secretBox } from "../engine/secret-box.ts";
import { loadSecretKeys, secretKeyFileOf } from "./secret-key.ts";
import { moveStore } from "../store/move-store.ts";
import type { ComparedRow } from "../store/tally.ts";
import { OperatorFault } from "../domain/operator-fault.ts";

/**
 * Moves the data directory of the configuration into its database. Answers the counts of both. Throws one
 * sentence when it cannot be done, also when a key is not there that something in the data is sealed with.
 */
export async function migrateStore(
  config: Pick<Config, "data" | "databaseUrl" | "secretKey" | "secretKeyPrevious" | "secretKeyFile">,
  onProgress: (copied: number, all: number) => void,
): Promise<ComparedRow[]> {
  const keyFile = secretKeyFileOf(config);
  if (config.secretKey === "" && !existsSync(keyFile)) {
    throw new OperatorFault(
      `${keyFile} is not there: say what the secrets of this data are encrypted with, ` +
        "by --secret-key or --secret-key-file as the server was told it.",
    );
  }
  const directory = resolve(config.data);
  const refusal = await unservedRefusal(directory);
  if (refusal !== undefined) throw new OperatorFault(refusal);
  const { keys } = await loadSecretKeys(config);
  const target = { url: config.databaseUrl, keyDigests: keys.map(digestOf) };
  const check = checkSealed(secretBox(keys));
  return moveStore({ directory, target, check, onProgress });
}
