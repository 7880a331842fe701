import type { Payload } from "../domain/payload.ts";

/** Rows that hold sealed values beside the configuration records. */
export type SealedTable = "job" | "delivery";

/** What lies sealed in a row: of a job its `s3Config` or its webhook, of a delivery its webhook. */
export interface SealedValue {
  readonly of: "secret" | "webhook" | "delivery";
  readonly endpoint: string;
  /** Of the job, or of the delivery. */
  readonly id: string;
  readonly job: string;
  readonly sealed: Payload;
}

/** Values that lie sealed are replaced, each if it is still what was read: the same secret by another key. */
export interface Reseal {
  readonly step: "reseal";
  readonly values: readonly ResealedValue[];
}

export interface ResealedValue extends SealedValue {
  readonly by: Payload;
}

export interface ResealAnswers {
  /** Of each value whether it was replaced. */
  reseal: readonly boolean[];
}

/** A row, in the order of endpoints and ids, compared by bytes. */
export interface SealedPlace {
  readonly endpoint: string;
  readonly id: string;
}

export interface SealedPage {
  readonly values: readonly SealedValue[];
  /** What is behind this row has not been looked at; undefined when nothing is. */
  readonly next: SealedPlace | undefined;
}

/** A row as the stores read it. */
export interface SealedRow extends SealedPlace {
  readonly job: string;
  readonly secret?: Payload | undefined;
  readonly webhook?: Payload | undefined;
}

/** The page that `looked` rows make, read in the order of their places. */
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
