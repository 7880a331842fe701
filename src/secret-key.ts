import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Config, IN_MEMORY } from "./config.ts";
import { errorCode } from "./domain/errors.ts";
import { newSecret } from "./engine/digest.ts";
import { writeDurably } from "./write-durably.ts";

/** The keys that encrypt secrets at rest: the newest seals, all open. */
export interface SecretKeys {
  /** At least one, the newest first. */
  readonly keys: readonly string[];
  /** Keeps these instead, durably, the newest first; undefined where it is the operator who says the keys. */
  readonly keep: ((keys: readonly string[]) => Promise<void>) | undefined;
}

type KeyConfig = Pick<Config, "secretKey" | "secretKeyPrevious" | "secretKeyFile" | "data" | "databaseUrl">;

/**
 * The keys from the configuration, or from a file beside the data directory, so that a copy of the data alone
 * opens nothing. The file holds one a line, the newest first. Makes it at the first start, readable by its
 * owner alone. Throws a sentence when the file is there without a key, or a previous key without a newer one.
 */
export async function loadSecretKeys(config: KeyConfig): Promise<SecretKeys> {
  const { secretKey, secretKeyPrevious } = config;
  if (secretKey !== "") {
    const previous = secretKeyPrevious === "" ? [] : [secretKeyPrevious];
    return { keys: [secretKey, ...previous], keep: undefined };
  }
  if (secretKeyPrevious !== "") {
    throw new Error(
      "FOREBAY_SECRET_KEY_PREVIOUS is set and FOREBAY_SECRET_KEY is not: set both, " +
        "or write the keys into the key file, one a line, the newest first.",
    );
  }
  const isShared = config.databaseUrl !== "";
  if (config.data === IN_MEMORY)
    return { keys: [newSecret()], keep: isShared ? undefined : async () => undefined };
  const path = secretKeyFileOf(config);
  const found = await readKeys(path);
  if (found?.length === 0) {
    throw new Error(
      `${path} is empty: it should hold the key that encrypts secrets at rest. ` +
        "Put the key back, or remove the file if nothing was ever encrypted.",
    );
  }
  const write = (keys: readonly string[]) => writeDurably(path, `${keys.join("\n")}\n`);
  const keys = found ?? [newSecret()];
  if (found === undefined) await write(keys);
  // Of servers that share a database each has a copy of the file: none may change its own alone.
  return { keys, keep: isShared ? undefined : write };
}

/** Where the keys lie that the configuration does not tell. */
export function secretKeyFileOf({ secretKeyFile, data }: Pick<Config, "secretKeyFile" | "data">): string {
  return secretKeyFile === "" ? `${resolve(data)}.key` : secretKeyFile;
}

async function readKeys(path: string): Promise<string[] | undefined> {
  try {
    const lines = (await readFile(path, "utf8")).split("\n").map((line) => line.trim());
    return lines.filter((line) => line !== "");
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}
