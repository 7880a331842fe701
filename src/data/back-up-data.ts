import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import type { Config } from "../config/config.ts";
import { unservedRefusal } from "./data-directory.ts";
import { OperatorFault } from "../domain/operator-fault.ts";
import { digestOf } from "../engine/digest.ts";
import { loadSecretKeys, secretKeyFileOf } from "./secret-key.ts";
import { backUpDirectory } from "../store/back-up-directory.ts";
import { thisMachine } from "../host/system-clock.ts";

type Backed = Pick<Config, "data" | "databaseUrl" | "secretKey" | "secretKeyPrevious" | "secretKeyFile">;

/** A backup of the data directory of a stopped server, as pieces of a tar archive. Throws OperatorFault. */
export async function* backUpData(config: Backed): AsyncGenerator<Uint8Array> {
  const directory = resolve(config.data);
  const refusal = await unservedRefusal(directory);
  if (refusal !== undefined) throw new OperatorFault(refusal);
  const hasKey = config.secretKey !== "" || existsSync(secretKeyFileOf(config));
  const keys = hasKey ? (await loadSecretKeys({ ...config, databaseUrl: "" })).keys : [];
  const facts = { version, instant: thisMachine.wall(), secretKeys: keys.map(digestOf) };
  yield* backUpDirectory(directory, facts);
}
