import { LIMITED_RECORDS, type LimitedRecord } from "../../domain/account-limits.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { RecordLimit } from "../../store/record-steps.ts";
import type { WithLimits } from "../verb-needs.ts";
import type { WithConfiguration } from "./configuration.ts";
import type { RecordBodies } from "./record-bodies.ts";

/** The plural of each kind, and the setting that limits it. */
const NAMES: Readonly<Record<LimitedRecord, readonly [several: string, setting: string]>> = {
  endpoint: ["endpoints", "FOREBAY_ACCOUNT_ENDPOINTS"],
  template: ["templates", "FOREBAY_ACCOUNT_TEMPLATES"],
  key: ["API keys", "FOREBAY_ACCOUNT_KEYS"],
  registryLogin: ["registry logins", "FOREBAY_ACCOUNT_REGISTRY_LOGINS"],
  worker: ["worker tokens", "FOREBAY_ACCOUNT_WORKER_TOKENS"],
};

/** Kinds of records that can have a megabyte each. */
const LARGE_RECORDS: ReadonlySet<string> = new Set<LimitedRecord>(["endpoint", "template", "key"]);

/** How much of this kind an account can have; undefined: no limit. */
export function recordLimit(engine: WithLimits, kind: keyof RecordBodies): RecordLimit | undefined {
  if (!isLimited(kind)) return undefined;
  const bytes = LARGE_RECORDS.has(kind) ? engine.limits.recordBytes : undefined;
  return { records: engine.limits.records[kind], bytes };
}

/** Why a record was not stored: its account has as many as it can have, or as many bytes of them. */
export function limitReached(
  engine: WithLimits & WithConfiguration,
  kind: keyof RecordBodies,
  account: string,
  outcome: "tooMany" | "tooLarge",
): ForebayError {
  if (!isLimited(kind)) throw new Error(`a ${kind} has no limit`);
  const use = engine.configuration.use(kind, account);
  const [several, setting] = NAMES[kind];
  if (outcome === "tooMany") {
    return new ForebayError(
      "LIMIT_REACHED",
      `Account ${account} has ${use.records} ${several}; its limit is ${engine.limits.records[kind]}. ` +
        `Delete some, or ask the operator of this server to raise ${setting}.`,
    );
  }
  return new ForebayError(
    "LIMIT_REACHED",
    `The ${several} of account ${account} have ${use.bytes} bytes. With this one they would exceed the ` +
      `limit of ${engine.limits.recordBytes} bytes. Delete some that are not needed, or ask the operator ` +
      "of this server to raise FOREBAY_ACCOUNT_RECORD_MB.",
  );
}

function isLimited(kind: keyof RecordBodies): kind is LimitedRecord {
  return LIMITED_RECORDS.some((limited) => limited === kind);
}
