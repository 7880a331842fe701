/** Kinds of records whose number is limited for each account. */
export const LIMITED_RECORDS = ["endpoint", "template", "key", "registryLogin", "worker"] as const;

export type LimitedRecord = (typeof LIMITED_RECORDS)[number];

/** How much one account can have. The operator sets it; no account can change it. */
export interface AccountLimits {
  readonly records: Readonly<Record<LimitedRecord, number>>;
  /** The stored bytes of all its templates, of all its endpoints, and of all its keys. */
  readonly recordBytes: number;
  /** The stored bytes of all releases of its endpoints. */
  readonly releaseBytes: number;
  /** The bytes of all its waiting jobs. */
  readonly queuedBytes: number;
  /** The bytes of the waiting jobs of one endpoint, whatever its `maxQueuedBytes` is. */
  readonly endpointQueuedBytes: number;
}
