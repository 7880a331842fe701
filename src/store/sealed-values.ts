import type { Payload } from "../domain/payload.ts";

/** Rows with encrypted values, besides the configuration records. */
export type SealedTable = "job" | "delivery";

/** The encrypted values of a row: `s3Config` or webhook of a job, webhook of a delivery. */
export interface SealedValue {
  readonly of: "secret" | "webhook" | "delivery";
  readonly endpoint: string;
  /** The id of the job or delivery. */
  readonly id: string;
  readonly job: string;
  readonly sealed: Payload;
}

/**
 * Replaces encrypted values, each one only if it is still the value that was read. The secret is the same,
 * its key is another one.
 */
export interface Reseal {
  readonly step: "reseal";
  readonly values: readonly ResealedValue[];
}

export interface ResealedValue extends SealedValue {
  readonly by: Payload;
}

export interface ResealAnswers {
  /** For each value, whether it was replaced. */
  reseal: readonly boolean[];
}

/** The place of a row. Places are ordered by endpoint and id, as bytes. */
export interface SealedPlace {
  readonly endpoint: string;
  readonly id: string;
}

export interface SealedPage {
  readonly values: readonly SealedValue[];
  /** The last row that was read; undefined if there are no more rows. */
  readonly next: SealedPlace | undefined;
}

/** A row as a store reads it. */
export interface SealedRow extends SealedPlace {
  readonly job: string;
  readonly secret?: Payload | undefined;
  readonly webhook?: Payload | undefined;
}

/** The page of `looked` rows, which were read in the order of their places. */
export function sealedPage(table: SealedTable, rows: readonly SealedRow[], looked: number): SealedPage {
  const values = rows.flatMap(({ endpoint, id, job, secret, webhook }): SealedValue[] => {
    const row = { endpoint, id, job };
    const ofSecret = secret === undefined ? [] : [{ of: "secret" as const, ...row, sealed: secret }];
    if (webhook === undefined) return ofSecret;
    return [...ofSecret, { of: table === "job" ? "webhook" : "delivery", ...row, sealed: webhook }];
  });
  const last = rows.length < looked ? undefined : rows.at(-1);
  return { values, next: last && { endpoint: last.endpoint, id: last.id } };
}
