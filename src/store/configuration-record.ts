export type RecordKind =
  | "account"
  | "key"
  | "endpoint"
  | "template"
  | "release"
  | "worker"
  | "keyUse"
  | "endedSessions"
  | "webhookSecret"
  | "deployment"
  | "registryLogin"
  | "templateUse"
  | "host"
  | "jobOperation";

/** Where a record stands. */
export interface RecordPlace {
  readonly kind: RecordKind;
  readonly id: string;
}

/** How records of one kind name a record of another: by its id, in a member of their body. */
export interface RecordReference {
  readonly kind: RecordKind;
  readonly member: string;
}

/** A configuration record. The store knows who owns it and how it is called, not what it says. */
export interface ConfigurationRecord {
  readonly kind: RecordKind;
  readonly id: string;
  readonly account: string;
  /** Unique within kind and account; null for records without a name. */
  readonly name: string | null;
  /** Counts the puts, from 1. */
  readonly version: number;
  /** JSON. */
  readonly body: string;
}

export interface RecordChange {
  readonly change: number;
  readonly kind: RecordKind;
  readonly id: string;
  /** Undefined: the record was removed. */
  readonly record: ConfigurationRecord | undefined;
}
