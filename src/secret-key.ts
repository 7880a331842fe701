import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Config, IN_MEMORY } from "./config.ts";
import { errorCode } from "./domain/errors.ts";
import { writeDurably } from "./write-durably.ts";

/**
 * The key that encrypts secrets at rest: from the configuration, or from a file beside the data directory, so
 * that a copy of the data alone opens nothing. Makes the file at the first start, readable by its owner
 * alone. Throws a sentence when the file is there without a key.
 */
export async function loadSecretKey(
  config: Pick<Config, "secretKey" | "secretKeyFile" | "data">,
): Promise<string> {
  if (config.secretKey !== "") return config.secretKey;
  if (config.data === IN_MEMORY) return randomBytes(32).toString("base64");
  const path = secretKeyFileOf(config);
  const found = await readKey(path);
  if (found === "") {
    throw new Error(
      `${path} is empty: it should hold the key that encrypts secrets at rest. ` +
        "Put the key back, or remove the file if nothing was ever encrypted.",
    );
  }
  return found ?? makeKey(path);
}

/** Where the key lies that the configuration does not tell. */
export function secretKeyFileOf({ secretKeyFile, data }: Pick<Config, "secretKeyFile" | "data">): string {
  return secretKeyFile === "" ? `${resolve(data)}.key` : secretKeyFile;
}

async function readKey(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

async function makeKey(path: string): Promise<string> {
  const key = randomBytes(32).toString("base64");
  await writeDurably(path, `${key}\n`);
  return key;
}
