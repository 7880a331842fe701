import type { NewAllocation } from "./allocations.ts";
import type { ConfigurationRecord, RecordPlace, RecordReference } from "./configuration-record.ts";
import type { NewPastWorker } from "./past-workers.ts";

/** How many records of one kind an account can have, and how many bytes. */
export interface RecordLimit {
  readonly records: number;
  readonly bytes: number | undefined;
}

/**
 * Writes a configuration record if its version is the next one, its name is free, and the record that it
 * needs exists. With a limit, a new or larger record is written only if the account stays within the limit.
 * A new record of a worker can come with an allocation: both are written, or nothing if another worker has
 * one of the devices.
 */
export interface Put {
  readonly step: "put";
  readonly record: ConfigurationRecord;
  readonly needs?: RecordPlace | undefined;
  readonly limit?: RecordLimit | undefined;
  readonly allocation?: NewAllocation | undefined;
}

/**
 * Removes a configuration record: an endpoint only if it has no unfinished job, any other record only if no
 * record names it as `unlessNamedBy` says. With the record of a worker, its devices become free, and it stays
 * as a past worker where `past` is given, until its endpoint is removed or `forget` removes it.
 */
export interface Remove extends RecordPlace {
  readonly step: "remove";
  readonly unlessNamedBy?: RecordReference;
  readonly past?: NewPastWorker | undefined;
}

/** The other records of the account and kind. */
export interface RecordUse {
  readonly records: number;
  readonly bytes: number;
}

/**
 * Why the limit refuses the record; undefined if it does not. `before` is its present size, undefined for a
 * new record. A record that does not grow is never refused.
 */
export function overRecordLimit(
  limit: RecordLimit,
  others: RecordUse,
  size: number,
  before: number | undefined,
): "tooMany" | "tooLarge" | undefined {
  if (before === undefined && others.records >= limit.records) return "tooMany";
  if (limit.bytes === undefined || size <= (before ?? 0)) return undefined;
  return others.bytes + size > limit.bytes ? "tooLarge" : undefined;
}

/** How long a removed record stays known, ms: longer than any server uses an old copy. */
export const TOMBSTONE_RETENTION = 7 * 86_400_000;

/** The steps about configuration records. */
export type RecordStep = Put | Remove;

export interface RecordStepAnswers {
  put: {
    readonly outcome:
      "written" | "nameTaken" | "versionConflict" | "needMissing" | "tooMany" | "tooLarge" | "deviceTaken";
  };
  remove: { readonly outcome: "removed" | "absent" | "inUse" };
}
