import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config/config.ts";
import { errorCode, withPath } from "../domain/errors.ts";
import { newSecret } from "../engine/digest.ts";
import { writeDurably } from "../host/durable-files.ts";
import { OperatorFault } from "../domain/operator-fault.ts";

/** The keys that encrypt secrets at rest: the newest seals, all open. */
export interface SecretKeys {
  /** At least one, the newest first. */
  readonly keys: readonly string[];
  /** The sentence for an operator whose data these keys do not open. */
  readonly mismatch: string;
  /** Stores a new key. Call it when it is known that the data needs no other key. */
  readonly write: () => Promise<void>;
  /** Stores these keys instead, durably, the newest first. Undefined if the operator sets the keys. */
  readonly keep: ((keys: readonly string[]) => Promise<void>) | undefined;
}

type KeyConfig = Pick<Config, "secretKey" | "secretKeyPrevious" | "secretKeyFile" | "data" | "databaseUrl">;

/**
 * The keys from the configuration, or from a file beside the data directory, so that a copy of the data alone
 * opens nothing. The file has one key per line, the newest first, and only its owner can read it. Creates a
 * key at the first start. Throws OperatorFault if the file is empty, or if a previous key is set without a
 * newer one.
 */
export async function loadSecretKeys(config: KeyConfig): Promise<SecretKeys> {
  const { secretKey, secretKeyPrevious } = config;
  if (secretKey !== "") {
    const previous = secretKeyPrevious === "" ? [] : [secretKeyPrevious];
    const whose = previous.length === 0 ? "FOREBAY_SECRET_KEY" : "FOREBAY_SECRET_KEY and its predecessor";
    const mismatch = `${whose} cannot decrypt the secrets in this data. ${GIVE_KEY}`;
    return { keys: [secretKey, ...previous], mismatch, write: async () => undefined, keep: undefined };
  }
  if (secretKeyPrevious !== "") {
    throw new OperatorFault(
      "FOREBAY_SECRET_KEY_PREVIOUS is set and FOREBAY_SECRET_KEY is not: set both, " +
        "or write the keys into the key file, one a line, the newest first.",
    );
  }
  const isShared = config.databaseUrl !== "";
  if (config.data === IN_MEMORY) return keptInMemory(isShared);
  const path = secretKeyFileOf(config);
  const found = await readKeys(path);
  if (found?.length === 0) {
    throw new OperatorFault(
      `${path} is empty. It should hold the key that encrypts secrets at rest. ` +
        "Put the key back, or remove the file if nothing was ever encrypted.",
    );
  }
  const save = (keys: readonly string[]) => writeDurably(path, `${keys.join("\n")}\n`);
  const keys = found ?? [newSecret()];
  const write = async (): Promise<void> => (found === undefined ? save(keys) : undefined);
  // A database checks the key before it accepts it, so the key must already be stored.
  if (isShared) await write();
  const mismatch =
    found === undefined
      ? `${path} is missing. It holds the key that encrypts the secrets in this data. ` +
        "Put it back from your backup, or name the file with --secret-key-file."
      : `The key in ${path} cannot decrypt the secrets in this data. ${GIVE_KEY}`;
  // Servers that share a database each have a copy of the file, and none may change only its own.
  return { keys, mismatch, write, keep: isShared ? undefined : save };
}

const GIVE_KEY = "Give the server the key that it had when it wrote this data.";

function keptInMemory(isShared: boolean): SecretKeys {
  const nothing = async (): Promise<void> => undefined;
  return { keys: [newSecret()], mismatch: GIVE_KEY, write: nothing, keep: isShared ? undefined : nothing };
}

/** The path of the key file. */
export function secretKeyFileOf({ secretKeyFile, data }: Pick<Config, "secretKeyFile" | "data">): string {
  return secretKeyFile === "" ? `${resolve(data)}.key` : secretKeyFile;
}

async function readKeys(path: string): Promise<string[] | undefined> {
  try {
    const lines = (await readFile(path, "utf8")).split("\n").map((line) => line.trim());
    return lines.filter((line) => line !== "");
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw withPath(error, path);
    return undefined;
  }
}
