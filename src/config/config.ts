import type { AccountLimits } from "../domain/account-limits.ts";
import type { Durations } from "../domain/durations.ts";
import { OperatorFault } from "../domain/operator-fault.ts";
import { CONFIG_ROWS } from "./rows.ts";
import { type Row, spanOf } from "./values.ts";

/** The value of `data` that keeps all data in the memory of the process. */
export const IN_MEMORY = ":memory:";

type Rows = typeof CONFIG_ROWS;

export type ConfigKey = keyof Rows;

export type Config = Readonly<{ [Key in ConfigKey]: Rows[Key] extends Row<infer Value> ? Value : never }> &
  Durations;

/** Messages do not repeat the values of these. */
const SECRETS = new Set(["adminKey", "secretKey", "secretKeyPrevious", "databaseUrl", "databaseListenUrl"]);

const MB = 1_048_576;

/**
 * The configuration from flags and environment, checked and frozen. Throws one sentence that names all
 * faults.
 */
export function loadConfig(flags: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv): Config {
  const { config, faults } = readConfig(flags, env);
  if (faults.length > 0) throw new OperatorFault(`${faults.join("; ")}.`);
  return config;
}

/** The same, but for each invalid value it takes the default and answers a sentence. */
export function readConfig(
  flags: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): { readonly config: Config; readonly faults: readonly string[] } {
  const config: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [key, row] of Object.entries<Row<unknown>>(CONFIG_ROWS)) {
    const [source, given] = row.flag in flags ? [`--${row.flag}`, flags[row.flag]] : [row.env, env[row.env]];
    try {
      config[key] = row.default;
      if (given !== undefined) config[key] = row.parse(given);
    } catch (error) {
      const expected = error instanceof Error ? error.message : String(error);
      const got = SECRETS.has(key) ? "" : `, got ${JSON.stringify(given)}`;
      faults.push(`${source}: ${expected}${got}`);
    }
  }
  // Every key of the table has just been set to what its row parses.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { config: Object.freeze(config) as unknown as Config, faults };
}

/** How much the server keeps. */
export function keptAmounts(config: Config) {
  return {
    chunkLimit: config.jobOutputLimit * MB,
    limits: accountLimits(config),
    historyLimits: { age: spanOf(config.history), bytes: config.historyLimit * MB },
  };
}

/** How much one account can have. */
function accountLimits(config: Config): AccountLimits {
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
