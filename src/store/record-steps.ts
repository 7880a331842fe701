import type { ConfigurationRecord, RecordPlace, RecordReference } from "./configuration-record.ts";

/** Writes a configuration record if its version is the next one, its name free, and what it needs there. */
export interface Put {
  readonly step: "put";
  readonly record: ConfigurationRecord;
  readonly needs?: RecordPlace | undefined;
}

/**
 * Removes a configuration record; an endpoint only when it has no unfinished job, and any other one only when
 * no record names it in the way of `unlessNamedBy`.
 */
export interface Remove extends RecordPlace {
  readonly step: "remove";
  readonly unlessNamedBy?: RecordReference;
}

/** Steps on configuration records. */
export type RecordStep = Put | Remove;

export interface RecordStepAnswers {
  put: { readonly outcome: "written" | "nameTaken" | "versionConflict" | "needMissing" };
  remove: { readonly outcome: "removed" | "absent" | "inUse" };
}
