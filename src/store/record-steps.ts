import type { ConfigurationRecord, RecordPlace, RecordReference } from "./configuration-record.ts";

/** How many records of one kind an account can have, and how many bytes of them. */
export interface RecordLimit {
  readonly records: number;
  readonly bytes: number | undefined;
}

/**
 * Writes a configuration record if its version is the next one, its name free, and what it needs there. With
 * a limit a new record, or one that grows, is written only if the account keeps to it then.
 */
export interface Put {
  readonly step: "put";
  readonly record: ConfigurationRecord;
  readonly needs?: RecordPlace | undefined;
  readonly limit?: RecordLimit | undefined;
}

/**
 * Removes a configuration record; an endpoint only when it has no unfinished job, and any other one only when
 * no record names it in the way of `unlessNamedBy`.
 */
export interface Remove extends RecordPlace {
  readonly step: "remove";
  readonly unlessNamedBy?: RecordReference;
}

/** What an account has of a kind of records, one record left out. */
export interface RecordUse {
  readonly records: number;
  readonly bytes: number;
}

/**
 * What the limit has against a record that comes to `others`; `before` is how large it was, undefined for a
 * new one. A record that does not grow is never refused.
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

/** Steps on configuration records. */
export type RecordStep = Put | Remove;

export interface RecordStepAnswers {
  put: {
    readonly outcome: "written" | "nameTaken" | "versionConflict" | "needMissing" | "tooMany" | "tooLarge";
  };
  remove: { readonly outcome: "removed" | "absent" | "inUse" };
}
