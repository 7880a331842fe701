import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config/config.ts";
import { loadSecretKeys, secretKeyFileOf } from "../data/secret-key.ts";
import { fault, type Finding, ok, sentenceOf, warn } from "./finding.ts";

const PART = "keys";

/** Checks where the encryption keys are stored, and who can read them. */
export async function checkKeys(config: Config): Promise<Finding[]> {
  if (config.secretKey !== "") return [ok(PART, "FOREBAY_SECRET_KEY sets the encryption key")];
  if (config.secretKeyPrevious !== "") return []; // told as a conflict of settings
  if (config.data === IN_MEMORY) return [];
  const path = secretKeyFileOf(config);
  if (!existsSync(path)) return [missing(path, config)];
  try {
    // The file exists, so this call creates nothing.
    const { keys } = await loadSecretKeys(config);
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0)
      return [warn(PART, `other users of this machine can read ${path}`, `chmod 600 ${path}`)];
    return [ok(PART, `${path} holds ${keys.length === 1 ? "the encryption key" : `${keys.length} keys`}`)];
  } catch (error) {
    return [fault(PART, sentenceOf(error), "Restore the original key: backups of the data need it too.")];
  }
}

function missing(path: string, { data, databaseUrl }: Config): Finding {
  if (existsSync(join(resolve(data), "forebay.db"))) {
    const said = `${path} is missing, and the secrets of the data cannot be decrypted without it`;
    return fault(PART, said, "Restore the file, or name it with --secret-key-file.");
  }
  if (databaseUrl === "") return ok(PART, `${path} does not exist yet: the first start creates it`);
  const mend = "Set the same FOREBAY_SECRET_KEY on all servers, or copy the key file of the first one.";
  return warn(PART, `${path} is missing: a start creates a key that other servers do not have`, mend);
}
