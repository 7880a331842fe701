import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "./config.ts";
import { digestOf } from "./engine/digest.ts";
import { loadSecretKey, secretKeyFileOf } from "./secret-key.ts";
import { moveStore } from "./store/move-store.ts";
import type { ComparedRow } from "./store/tally.ts";

/**
 * Moves the data directory of the configuration into its database. Answers the counts of both. Throws one
 * sentence when it cannot be done.
 */
export async function migrateStore(
  config: Pick<Config, "data" | "databaseUrl" | "secretKey" | "secretKeyFile">,
  onProgress: (copied: number, all: number) => void,
): Promise<ComparedRow[]> {
  const keyFile = secretKeyFileOf(config);
  if (config.secretKey === "" && !existsSync(keyFile)) {
    throw new Error(
      `${keyFile} is not there: say what the secrets of this data are encrypted with, ` +
        "by --secret-key or --secret-key-file as the server was told it.",
    );
  }
  const keyDigest = digestOf(await loadSecretKey(config));
  const target = { url: config.databaseUrl, keyDigest };
  return moveStore({ directory: resolve(config.data), target, onProgress });
}
