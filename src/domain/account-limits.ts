/** Kinds of records of which an account can have only so many. */
export const LIMITED_RECORDS = ["endpoint", "template", "key", "registryLogin", "worker"] as const;

export type LimitedRecord = (typeof LIMITED_RECORDS)[number];

/** How much one account can have. The operator says it; no account can change it. */
export interface AccountLimits {
  readonly records: Readonly<Record<LimitedRecord, number>>;
  /** All its templates together as they are stored, all its endpoints, and all its keys; bytes of each. */
  readonly recordBytes: number;
  /** All releases of its endpoints together as they are stored, bytes. */
  readonly releaseBytes: number;
  /** All its jobs that wait, bytes. */
  readonly queuedBytes: number;
  /** The jobs that wait on one endpoint, whatever its `maxQueuedBytes` says, bytes. */
  readonly endpointQueuedBytes: number;
}
