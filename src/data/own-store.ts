import { type Config, IN_MEMORY } from "../config/config.ts";
import type { Log } from "../domain/log.ts";
import { digestOf } from "../engine/digest.ts";
import { systemClock } from "../host/system-clock.ts";
import { openStore, type StoreOptions } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import { type DataDirectory, logAdoption } from "./data-directory.ts";
import type { SecretKeys } from "./secret-key.ts";

export interface OwnStoreParts extends Pick<StoreOptions, "onCommit" | "onTransaction"> {
  readonly config: Config;
  readonly log: Log;
  readonly data: DataDirectory;
  readonly secretKeys: SecretKeys;
}

/** The program could not go on safely (EX_SOFTWARE): a service manager starts it again, and it recovers. */
const FATAL = 70;

/** Opens the configured store for this server. If its disk can no longer be trusted, the process ends. */
export function openOwnStore(parts: OwnStoreParts): Promise<Store> {
  const { config, log, data, secretKeys, onCommit, onTransaction } = parts;
  return openStore({
    databaseUrl: config.databaseUrl,
    databaseListenUrl: config.databaseListenUrl,
    directory: config.data === IN_MEMORY ? undefined : config.data,
    owner: { ...data, adopts: config.adoptData, onAdopted: (from) => logAdoption(log, from) },
    keyDigests: secretKeys.keys.map(digestOf),
    log,
    onCommit,
    onTransaction,
    onFatal(error) {
      log.error("the disk can no longer be trusted: ending, to recover from what is durable", {
        error: String(error),
      });
      process.exit(FATAL);
    },
    after: systemClock().after,
  });
}
