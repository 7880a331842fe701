import type { Config } from "./config.ts";
import type { AccountLimits } from "../domain/account-limits.ts";

const MB = 1_048_576;

/** How much one account can have, as the operator says. */
export function accountLimits(config: Config): AccountLimits {
  return {
    records: {
      endpoint: config.accountEndpoints,
      template: config.accountTemplates,
      key: config.accountKeys,
      registryLogin: config.accountRegistryLogins,
      worker: config.accountWorkerTokens,
    },
    recordBytes: config.accountRecordMb * MB,
    releaseBytes: config.accountReleaseMb * MB,
    queuedBytes: config.accountQueuedMb * MB,
    endpointQueuedBytes: config.endpointQueuedMb * MB,
  };
}
