import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config/config.ts";
import { loadSecretKeys, secretKeyFileOf } from "../data/secret-key.ts";
import { fault, type Finding, ok, sentenceOf, warn } from "./finding.ts";

const PART = "keys";

/** Checks where the encryption keys are stored, and who can read them. */
export async function checkKeys(config: Config): Promise<Finding[]> {
  if (config.secretKey !== "") return [ok(PART, "the encryption key is given by FOREBAY_SECRET_KEY")];
  if (config.secretKeyPrevious !== "") return []; // told as a conflict of settings
  if (config.data === IN_MEMORY) return [];
  const path = secretKeyFileOf(config);
  if (!existsSync(path)) return [missing(path, config)];
  try {
    // The file exists, so this call creates nothing.
    const { keys } = await loadSecretKeys(config);
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0)
      return [warn(PART, `others on this machine can read ${path}`, `chmod 600 ${path}`)];
    return [ok(PART, `${path} holds ${keys.length === 1 ? "the encryption key" : `${keys.length} keys`}`)];
  } catch (error) {
    return [
      fault(PART, sentenceOf(error), "Put the key back that was there: a backup of the data needs it too."),
    ];
  }
}

function missing(path: string, { data, databaseUrl }: Config): Finding {
  if (existsSync(join(resolve(data), "forebay.db"))) {
    const said = `${path} is not there, and the data is: its secrets do not open without it`;
    return fault(PART, said, "Put the file back, or name it by --secret-key-file.");
  }
  if (databaseUrl === "") return ok(PART, `${path} is not there yet: the first start makes it`);
  const mend = "Give every server the same FOREBAY_SECRET_KEY, or a copy of the key file of the first.";
  return warn(PART, `${path} is not there: a start makes a key that no other server has`, mend);
}
